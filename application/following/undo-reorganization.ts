import type { Header } from '../ports/chain.js';
import type { System } from '../ports/system.js';
import type { WatchList } from '../watch-list/watch-list.js';
import { type Cursor, tipOf, withoutNewest } from './cursor.js';
import type { LedgerWriter } from './ledger-writer.js';
import type { Notifier } from './notify.js';

type Ports = {
  readonly watched: WatchList;
  readonly ledgers: LedgerWriter;
  readonly notifier: Notifier;
  readonly system: System;
  readonly save: (cursor: Cursor) => Promise<void>;
};

/** Undoes a reorganization: moves the cursor back behind the replaced blocks and drops their activities. */
export const createUndoReorganization =
  ({ watched, ledgers, notifier, system, save }: Ports, variant: string) =>
  async (cursor: Cursor, replaced: readonly Header[]): Promise<Cursor> => {
    if (replaced.length === 0) return cursor;
    system.log.warn(
      { variant, height: tipOf(cursor).number, depth: replaced.length },
      'Reorganization: blocks were replaced',
    );
    const kept = withoutNewest(cursor, replaced.length);
    // The cursor is saved first: after a crash here, blocks to which the chain returns must be processed again. The
    // settlement drops activities that the crash left behind, because their block is no longer canonical.
    await save(kept);
    for (const { hash } of replaced)
      for (const activity of watched.activities.in(hash))
        if (activity.phase !== 'due') await ledgers.drop(activity, notifier.hasListeners(activity));
    return kept;
  };
