import type { NewEvent, Streams } from '../ports/event-store.js';
import type { System } from '../ports/system.js';

type Retryable = { readonly idSeed?: string | undefined };

/**
 * Returns the digest of the seed of a retryable request, which marks all events of the request. The seed itself is not
 * stored, because secrets are derived from it.
 */
export const seedOf = ({ idSeed }: Retryable, system: System): string | undefined =>
  idSeed === undefined ? undefined : system.sign('idempotent-event', idSeed).slice(0, 32);

/**
 * Returns the context without its seed, for further commands of a request. A retry of the request then decides these
 * commands again.
 */
export const withoutSeed = <C extends Retryable>(context: C): C => ({ ...context, idSeed: undefined });

/**
 * Returns the events up to the last event that an earlier attempt of the request wrote; null when no event of the
 * stream is from such an attempt.
 */
export const eventsThroughOwn = (past: readonly NewEvent[], seed: string | undefined): readonly NewEvent[] | null => {
  const last = seed === undefined ? -1 : past.findLastIndex(({ metadata }) => metadata.seed === seed);
  return last === -1 ? null : past.slice(0, last + 1);
};

/** Returns true when an earlier attempt of the request, whose response was lost, wrote to the stream. */
export const hasWritten = async (
  { events, system }: { readonly events: Pick<Streams, 'read'>; readonly system: System },
  request: Retryable,
  stream: string,
): Promise<boolean> => {
  const seed = seedOf(request, system);
  return seed !== undefined && eventsThroughOwn((await events.read(stream)).events, seed) !== null;
};
