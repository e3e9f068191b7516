import type { App } from '../../application/app.js';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import type { Position } from '../../application/ports/event-store.js';
import { Failure } from '../../domain/failure.js';

/** Maximum number of organizations whose last pending write is stored, and the time for which it is stored. */
const maxOrganizations = 10_000;
const pendingMs = 60_000;

/**
 * Failure that replaces a NOT_FOUND which may be wrong, because the read models may lack a write that the caller knows
 * of.
 */
export class ReadModelsBehind extends Failure {
  constructor(message = 'Not found, but read models are catching up with an earlier write. Retry in a moment.') {
    super('UNAVAILABLE', message);
  }
}

const isMissing = (error: unknown) => error instanceof Failure && error.code === 'NOT_FOUND';

/**
 * Runs a query. Replaces NOT_FOUND with `ReadModelsBehind` if the read models have not reached the requested position.
 */
export const unlessBehind = <T>(upToDate: boolean, work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw isMissing(error) && !upToDate ? new ReadModelsBehind() : error;
  });

/**
 * Creates a store for the position of each organization's last write whose response had `x-consistency: pending`. Until
 * the read models include that write, but at most for a minute, queries of the organization wait for it, and
 * `ReadModelsBehind` replaces NOT_FOUND.
 */
export const createPendingChanges = ({ progress, system }: Pick<App, 'progress' | 'system'>) => {
  const pending = createBoundedCache<string, { readonly position: Position; readonly until: number }>(maxOrganizations);
  /** Returns the position of the organization's last pending write; 0 if there is none. */
  const positionOf = (organizationId: string): Position => {
    const last = pending.get(organizationId);
    if (!last) return 0;
    if (last.position > progress.current(organizationId) && last.until > system.now()) return last.position;
    pending.delete(organizationId);
    return 0;
  };
  return {
    owed: positionOf,
    add: (organizationId: string, position: Position) =>
      pending.set(organizationId, {
        position: Math.max(position, positionOf(organizationId)),
        until: system.now() + pendingMs,
      }),
    /** Runs work of an organization. Replaces NOT_FOUND with `ReadModelsBehind` while a write is pending. */
    guardNotFound: async <T>(organizationId: string, work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (isMissing(error) && positionOf(organizationId) > 0) throw new ReadModelsBehind();
        throw error;
      }
    },
  };
};
