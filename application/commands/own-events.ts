import type { NewEvent, Streams } from '../ports/event-store.js';
import type { System } from '../ports/system.js';

type Retryable = { readonly idSeed?: string | undefined };

/** Returns the mark of all events that one retryable request writes: a digest, because secret keys follow from the seed. */
export const seedOf = ({ idSeed }: Retryable, system: System): string | undefined =>
  idSeed === undefined ? undefined : system.sign('idempotent-event', idSeed).slice(0, 32);

/** Forgets the seed, for facts that a request learns and records besides its own command: they are decided anew. */
export const withoutSeed = <C extends Retryable>(context: C): C => ({ ...context, idSeed: undefined });

/** Returns the events up to the last that the request wrote in an earlier try; null when it wrote none of them. */
export const upToOwn = (past: readonly NewEvent[], seed: string | undefined): readonly NewEvent[] | null => {
  const last = seed === undefined ? -1 : past.findLastIndex(({ metadata }) => metadata.seed === seed);
  return last === -1 ? null : past.slice(0, last + 1);
};

/** Tells whether the request wrote to the stream in an earlier try, whose answer was lost. */
export const hasWritten = async (
  { events, system }: { readonly events: Pick<Streams, 'read'>; readonly system: System },
  request: Retryable,
  stream: string,
): Promise<boolean> => {
  const seed = seedOf(request, system);
  return seed !== undefined && upToOwn((await events.read(stream)).events, seed) !== null;
};
