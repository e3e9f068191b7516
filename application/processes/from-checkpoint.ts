import { beginning, type EventStore, type Position, type Recorded, UnknownPosition } from '../ports/event-store.js';
import { noEntry, type StateStore } from '../ports/state.js';

/** Number of events without work after which the position is saved; reading some of them again is harmless. */
const rememberEvery = 10_000;

type Work = (batch: readonly Recorded[], from: Position) => Promise<boolean>;
type Options = {
  /** Process that did this work in earlier versions: the new one starts where that one was. */
  readonly splitFrom?: string;
  /** Returns the position from which work is unfinished that goes on after its batch; it is saved in place of later ones. */
  readonly unfinishedFrom?: () => Position | undefined;
};

/**
 * Hands events in batches to a process with effects, from where it left off. A batch may come again after a crash or
 * while another process does the same work, so the effects must be safe to repeat.
 */
export const fromCheckpoint = (
  id: string,
  { events, state }: { events: EventStore; state: StateStore },
  { splitFrom = id, unfinishedFrom = () => undefined }: Options = {},
) => {
  const resume = async () => {
    const stored = await state.get('processes', id);
    const known = stored ?? (await state.get('processes', splitFrom));
    const position: Position = known ? Number(known.value) : beginning;
    // A store restored from a backup may end before the saved position. It is asked twice, since a wrong answer would
    // have all events read again.
    const isAhead = async () => position > (await events.head());
    const from = (await isAhead()) && (await isAhead()) ? beginning : position;
    let revision = stored?.revision ?? noEntry;
    let saved = from;
    /** Returns false when another process saved its position first. */
    const save = async (reached: Position) => {
      const done = unfinishedFrom() ?? reached;
      if (done <= saved) return true;
      saved = done;
      return state.put('processes', id, String(done), revision++);
    };
    return { from, save };
  };

  /** Forgets a position that the store does not know, so that the next start reads all events again. */
  const forget = async (error: unknown): Promise<never> => {
    const stored = error instanceof UnknownPosition ? await state.get('processes', id) : null;
    if (stored) await state.put('processes', id, String(beginning), stored.revision);
    throw error;
  };
  const follow = async (signal: AbortSignal, work: Work): Promise<void> => {
    const { from: start, save } = await resume();
    let from = start;
    let idle = 0;
    for await (const batch of events.subscribe(from, signal)) {
      idle = (await work(batch, from)) ? rememberEvery : idle + batch.length;
      from = batch.at(-1)?.position ?? from;
      if (idle < rememberEvery) continue;
      // Another process saved its position first, so this one starts again from there.
      if (!(await save(from))) return;
      idle = 0;
    }
  };

  /**
   * Runs `work` on each batch and the position before it; `work` returns whether it did anything. Rejects when the store
   * does not know the saved position, as after a backup was restored; the next run begins with the first event.
   */
  return (signal: AbortSignal, work: Work): Promise<void> => follow(signal, work).catch(forget);
};
