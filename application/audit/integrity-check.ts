import type { Digest } from '../../domain/aggregates/audit.js';
import { beginning, type EventStore } from '../ports/event-store.js';
import { BrokenLog, type LastLeaf } from './log-reading.js';
import type { LogState, SealLog } from './seals/seal-log.js';
import {
  extend,
  type SealProgress,
  type SealProgressStore,
  startOf,
  type UnsignedSealProgress,
} from './seals/seal-progress.js';

/**
 * Thrown when the sealer's progress, the log and the history of an organization do not agree. The history is not sealed
 * then.
 */
export class IntegrityError extends Error {
  override readonly name = 'IntegrityError';
}

type Ports = {
  /** Event store without upcasting. Seals hash events in the shape in which they were stored. */
  readonly events: EventStore;
  readonly progressStore: SealProgressStore;
  readonly log: SealLog;
  readonly sha256: Digest;
};
/** Sealer's progress that agrees with the seal log and the history, and the current volume of the log. */
type Agreed = {
  readonly progress: SealProgress;
  readonly volume: number;
  /**
   * Revision of the stored progress. `isStored` is true if `progress` equals the stored progress, false if `progress`
   * must still be saved.
   */
  readonly revision: number;
  readonly isStored: boolean;
};

const throwIntegrityError = (reason: string): never => {
  throw new IntegrityError(reason);
};

const isSameLeaf = (one: { count: number; hash: string; places: string }, other: typeof one) =>
  one.count === other.count && one.hash === other.hash && one.places === other.places;

/**
 * Returns the organization's last seal in the log if the sealer's progress records it neither as made nor as being
 * made; null if the progress does record it, or if the log has no seal of the organization.
 */
const unknownSeal = ({ sealed, sealing }: SealProgress, { volume, lastOf }: LogState, organizationId: string) => {
  const last: LastLeaf | null = lastOf(organizationId);
  if (sealed && sealed.volume > volume)
    throw new BrokenLog(`the log is at volume ${volume}, although volume ${sealed.volume} was begun`);
  const known = sealed?.volume === volume ? sealed : null;
  if (known && (!last || last.index < known.index))
    throw new BrokenLog(`the log lacks the seal over ${known.count} events of ${organizationId}`);
  if (!last || (known && last.index === known.index && isSameLeaf(last, known))) return null;
  if (known?.index === last.index)
    throw new BrokenLog(`the log has a different seal of ${organizationId} at index ${last.index}`);
  return sealing && isSameLeaf(last, sealing.leaf) ? null : last;
};

/**
 * Creates functions that compare the sealer's progress with a history, and derive missing or outdated progress from the
 * history.
 */
const createHistoryReader = ({ events, sha256 }: Pick<Ports, 'events' | 'sha256'>) => {
  const isInPlace = async (organizationId: string, { position, eventId }: SealProgress) => {
    if (eventId === null) return true;
    for await (const [newest] of events.readOrganizationBackwards(organizationId, { position }))
      return newest?.position === position && newest.id === eventId;
    return false;
  };
  /**
   * Returns whether the event hashed last is still at its position; if not, the history was replaced, truncated or
   * moved. Reads a second time before returning false, so that one stale read does not count as tampering.
   */
  const isStillThere = async (organizationId: string, progress: SealProgress) =>
    (await isInPlace(organizationId, progress)) || (await isInPlace(organizationId, progress));

  /**
   * Returns the sealer's initial progress for a history without progress. Throws IntegrityError if the history or the
   * log has seals, because the progress must then have been deleted.
   */
  const begin = async (organizationId: string, now: LogState): Promise<SealProgress> => {
    const last = now.lastOf(organizationId);
    if (last)
      throwIntegrityError(`the sealer's progress is missing, although the log has a seal over ${last.count} events`);
    for await (const batch of events.readOrganization(organizationId, beginning))
      if (batch.some(({ type }) => type === 'AuditSealed'))
        throwIntegrityError("the sealer's progress is missing, although the history has seals");
    return startOf(organizationId, sha256);
  };

  /** Adopts progress that an earlier version saved without a signature, if the history still matches the progress. */
  const adoptUnsigned = async (
    organizationId: string,
    { count, hash, missed }: UnsignedSealProgress,
  ): Promise<SealProgress> => {
    if (missed)
      throwIntegrityError(
        `events of the history were lost: an earlier version counted ${missed.count} events before the loss`,
      );
    let chain = startOf(organizationId, sha256);
    for await (const batch of events.readOrganization(organizationId, beginning)) {
      chain = extend(chain, batch.slice(0, count - chain.count), sha256);
      if (chain.count === count) break;
    }
    if (chain.count !== count || chain.hash !== hash)
      throwIntegrityError(`the first ${count} events of the history are not the ones that the sealer hashed`);
    return chain;
  };

  /**
   * Advances progress that is behind the seal log (for example after a backup was restored) to the last seal in the
   * log. Throws IntegrityError if the organization's events do not match the log.
   */
  const catchUp = async (
    organizationId: string,
    progress: SealProgress,
    last: LastLeaf,
    volume: number,
  ): Promise<SealProgress> => {
    let chain = progress;
    for await (const batch of events.readOrganization(organizationId, progress.position)) {
      chain = extend(chain, batch.slice(0, Math.max(0, last.count - chain.count)), sha256);
      if (chain.count >= last.count) break;
    }
    if (!isSameLeaf(chain, last))
      throwIntegrityError(
        `the first ${last.count} events of the history are not the ones that the log has a seal over`,
      );
    return { ...chain, unsealed: 0, since: null, sealed: { ...last, volume }, sealing: null };
  };

  return { isStillThere, begin, adoptUnsigned, catchUp };
};

/**
 * Creates a function that checks that the sealer's progress, the log and the history of an organization agree. The
 * check is required before sealing, because a seal over a truncated or replaced history would certify the forgery.
 */
export const createIntegrityCheck = (ports: Ports) => {
  const { progressStore, log } = ports;
  const { isStillThere, begin, adoptUnsigned, catchUp } = createHistoryReader(ports);

  /** Compares signed progress with log and history, and advances progress that is behind the seal log. */
  const compared = async (organizationId: string, progress: SealProgress, now: LogState) => {
    const last = unknownSeal(progress, now, organizationId);
    if (!(await isStillThere(organizationId, progress)))
      throwIntegrityError(`the history is not the one that was sealed: event ${progress.count} is not at its position`);
    return last ? catchUp(organizationId, progress, last, now.volume) : progress;
  };

  const check = async (organizationId: string): Promise<Agreed> => {
    const disorder = await ports.events.disorder?.(organizationId, 'quick');
    if (disorder) throwIntegrityError(`the event store is altered or damaged: ${disorder}`);
    const found = await progressStore.load(organizationId);
    const now = await log.refresh();
    const rest = { revision: found.revision, volume: now.volume, isStored: false };
    if (found.kind === 'absent') return { progress: await begin(organizationId, now), ...rest };
    if (found.kind === 'false') return throwIntegrityError(`the sealer's progress is forged: ${found.reason}`);
    if (found.kind === 'unsigned') {
      if (now.isBegun) throwIntegrityError("the sealer's progress is not signed");
      return { progress: await adoptUnsigned(organizationId, found.old), ...rest };
    }
    const progress = await compared(organizationId, found.progress, now);
    return { ...rest, progress, isStored: progress === found.progress };
  };

  /**
   * Returns the verified progress of an organization. Throws IntegrityError if the organization cannot be sealed, and
   * BrokenLog if no organization can be sealed because the seal log is broken.
   */
  return async function agreed(organizationId: string): Promise<Agreed> {
    const { revision } = await progressStore.load(organizationId);
    try {
      return await check(organizationId);
    } catch (error) {
      // Repeats the check if another sealer saved progress during it, because the check may then have mixed older and
      // newer data.
      if ((await progressStore.load(organizationId)).revision !== revision) return agreed(organizationId);
      throw error;
    }
  };
};
