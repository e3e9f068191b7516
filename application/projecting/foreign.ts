import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { isForeign } from '../read-models/progress.js';

type Ports = { readonly events: EventStore; readonly readModels: ReadModels; readonly system: System };

/** Pause in milliseconds before the store is read again, because a cluster may be electing a leader. */
const askAgainMs = 1000;
const pollIntervalMs = 500;
/**
 * Position greater than the position of any event. Set on read models that were built from events that the store does
 * not have, so that they are still recognized as foreign after the store has grown.
 */
const beyondEveryLog: Position = Number.MAX_SAFE_INTEGER;

const furthest = (positions: Readonly<Record<string, Position>>) => Math.max(beginning, ...Object.values(positions));

/**
 * Returns the head of the event store if the read models are ahead of it, which means that the read models were built
 * from events that the store does not have; otherwise null. The store is asked twice, because one stale answer would
 * cost a rebuild.
 */
export const headBehind = async ({ events, readModels, system }: Ports): Promise<Position | null> => {
  const ask = async () => {
    // The checkpoint is read before the head: events appended between the two reads must not make the checkpoint look
    // newer than the head.
    const checkpoint = await readModels.checkpoint();
    const head = await events.head();
    return isForeign(checkpoint, head) ? head : null;
  };
  if ((await ask()) === null) return null;
  await system.sleep(askAgainMs);
  return ask();
};

/**
 * Logs that the read models were built from events that the store does not have, marks these read models, and waits
 * until a rebuild has replaced them. The documents of these read models stay readable meanwhile.
 */
export const waitForRebuild = async (
  { events, readModels, system }: Ports,
  noteStop: (name: string, stop: { position: Position; reason: string }) => Promise<void>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const { revision, positions } = await readModels.checkpoint();
  const reason =
    'Read models are ahead of the event store; rebuilding. This happens after an older backup of the events was restored. ' +
    'The projector rebuilds the read models; `chainfold projections rebuild --all` does so at once';
  system.log.error({ positions, head: await events.head() }, reason);
  const marked = Object.fromEntries(names.map((name) => [name, beyondEveryLog]));
  await readModels.commit([], { revision, positions }, { ...positions, ...marked });
  for (const name of names) await noteStop(name, { position: beyondEveryLog, reason });
  const isReplaced = async () => furthest((await readModels.checkpoint()).positions) < beyondEveryLog;
  while (!signal.aborted && !(await isReplaced())) await system.sleep(pollIntervalMs, signal);
};
