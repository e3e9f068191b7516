import type { App } from '../../application/app.js';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import type { Position } from '../../application/ports/event-store.js';
import { Failure } from '../../domain/failure.js';

/** Organizations whose last pending change is remembered, and the time for which it is. */
const remembered = 10_000;
const rememberedMs = 60_000;

/** A NOT_FOUND that may be due to read models that lack a change which the caller knows of. */
export class NotYetThere extends Failure {
  constructor() {
    super('UNAVAILABLE', 'not found yet: an earlier change of this organization is not in the read models so far');
  }
}

const isMissing = (error: unknown) => error instanceof Failure && error.code === 'NOT_FOUND';

/** Answers a query; a NOT_FOUND of read models that lack what the caller asks to be included becomes a request to come back. */
export const unlessBehind = <T>(upToDate: boolean, work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw isMissing(error) && !upToDate ? new NotYetThere() : error;
  });

/**
 * Remembers the changes whose answers said `x-consistency: pending`. For a minute, queries of that organization wait for
 * the last of them, and are told to come back instead of NOT_FOUND while it is missing.
 */
export const createPendingChanges = ({ progress, system }: Pick<App, 'progress' | 'system'>) => {
  const told = createBoundedCache<string, { readonly position: Position; readonly until: number }>(remembered);
  /** Returns the position that the organization is still owed; 0 when there is none. */
  const owed = (organizationId: string): Position => {
    const last = told.get(organizationId);
    if (!last) return 0;
    if (last.position > progress.current() && last.until > system.now()) return last.position;
    told.delete(organizationId);
    return 0;
  };
  return {
    owed,
    tell: (organizationId: string, position: Position) =>
      told.set(organizationId, {
        position: Math.max(position, owed(organizationId)),
        until: system.now() + rememberedMs,
      }),
    /** Runs the work of an organization; a NOT_FOUND while it is owed a change becomes a request to come back. */
    notYet: async <T>(organizationId: string, work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (isMissing(error) && owed(organizationId) > 0) throw new NotYetThere();
        throw error;
      }
    },
  };
};
