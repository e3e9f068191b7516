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

/**
 * Creates a function that undoes a reorganization: it moves the cursor back to the block before the replaced blocks,
 * and drops the activities of the replaced blocks.
 */
export const createUndoReorganization =
  ({ watched, ledgers, notifier, system, save }: Ports, variant: string) =>
  async (cursor: Cursor, replaced: readonly Header[]): Promise<Cursor> => {
    if (replaced.length === 0) return cursor;
    system.log.warn(
      { variant, height: tipOf(cursor).number, depth: replaced.length },
      'Reorganization: blocks were replaced',
    );
    const kept = withoutNewest(cursor, replaced.length);
    // Saves the cursor first, so that after a crash here, the replaced blocks are processed again if the chain returns
    // to them. The settlement drops activities that the crash left behind, because their blocks are no longer on the
    // chain.
    await save(kept);
    for (const { hash } of replaced)
      for (const activity of watched.activities.in(hash))
        if (activity.phase !== 'due') await ledgers.drop(activity, notifier.hasListeners(activity));
    return kept;
  };
