import type { Header } from '../../ports/chain.js';
import { type Entry, noEntry, type StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';

/**
 * Minimum number of failed attempts before a block counts as timed out, so that time in which the process was suspended
 * is not taken for a failure of the nodes.
 */
const minAttempts = 5;

type Failing = {
  readonly number: number;
  /** Milliseconds for which the block could not be read, counted up to `countedTo`. */
  elapsed: number;
  /** Time of the last failure in Unix ms; null while the measurement of the duration is paused. */
  countedTo: number | null;
  tries: number;
};

type Ports = { readonly state: StateStore; readonly system: Pick<System, 'now'> };

/**
 * Creates functions that load and save for how long blocks have been unreadable, so that a restart does not reset these
 * durations.
 */
const createStoredTimes = (state: StateStore, variant: string) => {
  const id = `unreadable:${variant}`;
  let stored: Entry = { value: '[]', revision: noEntry };
  return {
    load: async (): Promise<readonly (readonly [hash: string, Failing])[]> => {
      stored = (await state.get('processes', id)) ?? { value: '[]', revision: noEntry };
      return JSON.parse(stored.value);
    },
    save: async (failing: ReadonlyMap<string, Failing>) => {
      // `countedTo` is not stored: after a restart, time counts again from the next failure of the block.
      const value = JSON.stringify([...failing].map(([hash, one]) => [hash, { ...one, countedTo: null }]));
      if (value === stored.value) return;
      const { revision } = stored;
      // A failed write means that another process follows the chain now and stores its own times.
      if (await state.put('processes', id, value, revision)) stored = { value, revision: revision + 1 };
    },
  };
};

/**
 * Creates a tracker that measures for how long a block could not be read although the nodes answer. The measurement is
 * paused while the nodes do not return the path from the tip to the block, because the nodes then lag or are
 * unreachable, and the follower waits for the block. Time in which no process follows the chain is not counted.
 */
export const createUnreadableTracker = ({ state, system: { now } }: Ports, variant: string, timeoutMs: number) => {
  const failing = new Map<string, Failing>();
  const times = createStoredTimes(state, variant);
  const elapsedOf = ({ elapsed, countedTo }: Failing) => elapsed + (countedTo === null ? 0 : now() - countedTo);
  return {
    /** Reads the stored durations, which another process or an earlier run may have measured. */
    load: async () => {
      failing.clear();
      for (const [hash, one] of await times.load()) failing.set(hash, one);
    },
    /** Stores the measured durations if they changed. */
    save: () => times.save(failing),
    /** Pauses the measurement for all failing blocks except the blocks in `headers`. */
    pauseExcept: (headers: readonly Header[]) => {
      const counted = new Set(headers.map(({ hash }) => hash));
      for (const [hash, known] of failing) if (!counted.has(hash)) known.countedTo = null;
    },
    /** Removes the failing blocks up to a height, because these blocks were processed, skipped or replaced. */
    forgetUpTo: (height: number) => {
      for (const [hash, { number }] of failing) if (number <= height) failing.delete(hash);
    },
    failed: ({ number, hash }: Header) => {
      const known = failing.get(hash) ?? { number, elapsed: 0, countedTo: null, tries: 0 };
      const elapsed = elapsedOf(known);
      failing.set(hash, { number, elapsed, countedTo: now(), tries: known.tries + 1 });
    },
    hasTimedOut: ({ hash }: Header) => {
      const known = failing.get(hash);
      return known !== undefined && known.tries >= minAttempts && elapsedOf(known) >= timeoutMs;
    },
  };
};
export type UnreadableTracker = ReturnType<typeof createUnreadableTracker>;
