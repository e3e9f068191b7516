import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { isForeign } from '../read-models/progress.js';

type Ports = { readonly events: EventStore; readonly readModels: ReadModels; readonly system: System };

/** Pause before the store is asked again: a cluster may be choosing a leader. */
const askAgainMs = 1000;
const pollIntervalMs = 500;
/** Position that no log reaches, by which read models stay marked while the log grows. */
const beyondEveryLog: Position = Number.MAX_SAFE_INTEGER;

const furthest = (positions: Readonly<Record<string, Position>>) => Math.max(beginning, ...Object.values(positions));

/**
 * Returns the head of the events if the read models are ahead of it, which means that they were made from other events;
 * null if they are not. The store is asked twice, since one wrong answer would cost a rebuild.
 */
export const headBehind = async ({ events, readModels, system }: Ports): Promise<Position | null> => {
  const ask = async () => {
    // The checkpoint is read first, because both move.
    const checkpoint = await readModels.checkpoint();
    const head = await events.head();
    return isForeign(checkpoint, head) ? head : null;
  };
  if ((await ask()) === null) return null;
  await system.sleep(askAgainMs);
  return ask();
};

/**
 * Says that the read models were made from other events, marks them, and waits until others have taken their place. The
 * documents stay as they are: a rebuild makes new ones beside them.
 */
export const waitForRebuild = async (
  { events, readModels, system }: Ports,
  noteStop: (name: string, stop: { position: Position; reason: string }) => Promise<void>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const { revision, positions } = await readModels.checkpoint();
  const reason =
    'the read models are ahead of the event store, so they were made from other events, as before a backup was ' +
    'restored; new ones are built beside them by the projector, or by `chainfold projections rebuild --all`';
  system.log.error({ positions, head: await events.head() }, reason);
  const marked = Object.fromEntries(names.map((name) => [name, beyondEveryLog]));
  await readModels.commit([], { revision, positions }, { ...positions, ...marked });
  for (const name of names) await noteStop(name, { position: beyondEveryLog, reason });
  const isReplaced = async () => furthest((await readModels.checkpoint()).positions) < beyondEveryLog;
  while (!signal.aborted && !(await isReplaced())) await system.sleep(pollIntervalMs, signal);
};
