import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import { noEntry, type StateStore } from '../ports/state.js';

/** Events that needed nothing done are not worth a write each; reading some of them again is harmless. */
const rememberEvery = 10_000;

/**
 * Hands events to a process with effects, from where it left off, in batches. It may see a batch again after a crash,
 * or while another process does the same work, so what it does must bear repeating.
 */
export const fromCheckpoint = (id: string, { events, state }: { events: EventStore; state: StateStore }) => {
  const resume = async () => {
    const stored = await state.get('processes', id);
    const position: Position = stored ? Number(stored.value) : beginning;
    // A store restored from a backup may end before what was remembered.
    const from = position > (await events.head()) ? beginning : position;
    return { from, revision: stored?.revision ?? noEntry };
  };

  /** `work` says whether it did anything. */
  return async (signal: AbortSignal, work: (batch: readonly Recorded[]) => Promise<boolean>): Promise<void> => {
    let { from, revision } = await resume();
    let idle = 0;
    for await (const batch of events.subscribe(from, signal)) {
      idle = (await work(batch)) ? rememberEvery : idle + batch.length;
      from = batch.at(-1)?.position ?? from;
      if (idle < rememberEvery) continue;
      // When another process was faster, this one starts again from where that one is.
      if (!(await state.put('processes', id, String(from), revision))) return;
      revision++;
      idle = 0;
    }
  };
};
