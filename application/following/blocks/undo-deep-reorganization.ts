import type { Variant } from '../../../domain/variant.js';
import type { Chain, Header } from '../../ports/chain.js';
import type { EventStore } from '../../ports/event-store.js';
import type { ReadModels } from '../../ports/read-models.js';
import type { System } from '../../ports/system.js';
import type { WatchList } from '../../watch-list/watch-list.js';
import type { Cursor } from '../cursor.js';
import type { LedgerWriter } from '../ledger-writer.js';
import type { Notifier } from '../notify.js';
import type { CursorStore } from '../progress/cursor-store.js';
import type { BlockRecords } from './block-records.js';
import { createIsCanonical, replacedSince } from './replaced-activities.js';
import type { RefreshAll } from './unreadable-block-balances.js';

type Ports = {
  readonly chain: Chain;
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly watched: WatchList;
  readonly ledgers: LedgerWriter;
  readonly notifier: Notifier;
  readonly records: BlockRecords;
  readonly refreshAll: RefreshAll;
  readonly system: System;
  readonly store: CursorStore;
};

/**
 * Creates a function that rolls the follower back to the block before the replaced blocks, once an operator has
 * accepted the replacement of a final block. The function returns the new cursor, or null if no replacement was
 * accepted.
 */
export const createUndoDeepReorganization = (ports: Ports, { tag }: Variant) => {
  const { chain, events, watched, ledgers, notifier, records, refreshAll, system, store } = ports;

  const dropReplaced = async (of: { from: number; chain: string }) => {
    const isCanonical = createIsCanonical(chain);
    const activities = new Set(await replacedSince(ports, tag, of));
    for (const activity of watched.activities.all())
      if (activity.phase !== 'due' && activity.block.number >= of.from && !(await isCanonical(activity.block)))
        activities.add(activity);
    for (const activity of activities) await ledgers.drop(activity, notifier.hasListeners(activity));
  };

  return async ({ headers, ...followed }: Cursor): Promise<Cursor | null> => {
    const { chain: first, since } = followed;
    const final = headers[0] as Header;
    const accepted = await records.accepted(final.hash);
    if (!accepted || (await chain.headerAt(final.number))?.hash !== accepted.replacement) return null;
    const base = await chain.headerAt(accepted.from - 1);
    if (!base) return null;
    const fields = { variant: tag, height: final.number, from: accepted.from, hash: accepted.replacement };
    system.log.warn(
      fields,
      'Rolling back below a final block, because an operator accepted the block that replaced it',
    );
    // The cursor is saved last: after a crash, all steps are repeated, and each step is idempotent.
    await dropReplaced({ from: accepted.from, chain: first });
    await refreshAll({ reason: `replacement of ${final.hash}`, isWanted: () => true, correction: true });
    const cursor = {
      ...followed,
      headers: [base],
      positions: [await events.head()],
      ...(since !== undefined && { since: Math.min(since, base.number) }),
    };
    await store.save(cursor);
    const block = { number: final.number, hash: final.hash, chain: first };
    await records.record({ type: 'Follow', data: { block, replacement: accepted.replacement } });
    return cursor;
  };
};
