import type { LogLeaf } from '../../../domain/aggregates/audit/seal-log.js';
import { audit, isRecordType, recordStatement, sealKey, sealStatement } from '../../../domain/aggregates/audit.js';
import { slicesOf } from '../../async/slices.js';
import { globalContext, step } from '../../commands/handle.js';
import type { Recorded } from '../../ports/event-store.js';
import type { Notary } from '../../ports/notary.js';
import { authenticatedFrom, forgeryIn, isEveryEventAuthenticated } from '../authenticity.js';
import { type createIntegrityCheck, IntegrityError } from '../integrity-check.js';
import type { SealerPorts, SealLog } from './seal-log.js';
import { extendInParts, type SealProgress, type SealProgressStore } from './seal-progress.js';

/** Number of unsealed events, or age of the oldest unsealed event in milliseconds, at which a history is sealed. */
export type SealPolicy = { readonly events: number; readonly ms: number };

/** Throws IntegrityError for a new event that this service did not append, or a proof record that it did not sign. */
const rejectForged = (progress: SealProgress, batch: readonly Recorded[], notary: Notary) => {
  const { publicKey, isSigned } = notary;
  for (const event of batch) {
    const { type, data, id, position } = event;
    // Events that were hashed before need no second check.
    if (position <= progress.position) continue;
    const forgery = forgeryIn(event, progress.authenticatedFrom !== undefined, notary);
    if (forgery !== null) throw new IntegrityError(`event ${id} (${type}) is ${forgery}`);
    if (!isRecordType(type)) continue;
    const { signature } = Object(data) as { signature?: unknown };
    if (!isSigned(publicKey, recordStatement(type, Object(data)), String(signature)))
      throw new IntegrityError(`event ${id} (${type}) is a proof record that the key of this service did not sign`);
  }
};

/** Number of events that are checked and hashed in one turn of the event loop. */
const hashedAtOnce = 100;

/**
 * Creates functions that append seals and migration records to histories. A repeated write is stored only once.
 */
const createSealWriter = ({ handle, notary, system }: SealerPorts, log: SealLog) => {
  const context = (organizationId: string) =>
    globalContext({ actor: { kind: 'process', id: 'history sealer' }, requestId: system.uuid() }, organizationId);
  return {
    /** Appends the seal to the log and then to the history; returns its index in the log. */
    seal: async (leaf: LogLeaf, volume: number, since: number) => {
      const index = await log.append(leaf, since);
      const sealed = { ...leaf, log: { volume, index } };
      const data = { ...sealed, keyId: notary.keyId, signature: notary.sign(sealStatement(sealed)) };
      const { organizationId, count } = leaf;
      await handle(context(organizationId), [step(audit, organizationId, sealKey(count), { type: 'Seal', data })]);
      return index;
    },
    moved: (organizationId: string, moved: NonNullable<SealProgress['moved']>) =>
      handle(context(organizationId), [
        step(audit, organizationId, sealKey(moved.count), { type: 'RecordMove', data: moved }),
      ]),
  };
};

/**
 * Creates functions that make a seal in steps: save the seal in the progress as being made, append it to the log and
 * then to the history, and save it as made. An interrupted seal is completed later.
 */
const createSealSteps = (ports: SealerPorts, progressStore: SealProgressStore, log: SealLog) => {
  const records = createSealWriter(ports, log);
  /** Completes the unfinished seal in `progress.sealing`; returns false when another sealer saved first. */
  const complete = async (organizationId: string, progress: SealProgress, revision: number, now: number) => {
    const { leaf, volume, since } = progress.sealing as NonNullable<SealProgress['sealing']>;
    const rest = { ...progress, unsealed: 0, since: null, sealing: null };
    // The seal is made again in the current volume if the volume in which it was started has been lost since.
    if (volume !== now) return progressStore.save(organizationId, { ...rest, since: 0 }, revision);
    const index = await records.seal(leaf, volume, since);
    const { count, hash, places } = leaf;
    return progressStore.save(organizationId, { ...rest, sealed: { volume, index, count, hash, places } }, revision);
  };
  const seal = async (organizationId: string, progress: SealProgress, revision: number, volume: number) => {
    const { size } = await log.refresh();
    const { count, hash, places, position } = progress;
    const leaf = { organizationId, count, hash, places, position };
    const next = { ...progress, sealing: { leaf, volume, since: size } };
    // Completes the seal if the save succeeds. If it fails, another sealer has saved first, and makes the seal.
    if (await progressStore.save(organizationId, next, revision))
      await complete(organizationId, { ...next, serial: next.serial + 1 }, revision + 1, volume);
  };
  const recordMove = async (organizationId: string, progress: SealProgress, revision: number) => {
    if (progress.moved) await records.moved(organizationId, progress.moved);
    return progressStore.save(organizationId, { ...progress, moved: null }, revision);
  };
  return { complete, seal, recordMove };
};

/** Creates functions that check and hash the events of histories. */
const createHistoryHasher = (ports: SealerPorts, progressStore: SealProgressStore) => {
  const { events, notary, system } = ports;

  /** Advances the progress past the events of `batch`, or past all new events in the store if `batch` is null. */
  const extended = async (organizationId: string, progress: SealProgress, batch: readonly Recorded[] | null) => {
    let next = progress;
    for await (const some of batch ? [batch] : events.readOrganization(organizationId, progress.position))
      for (const slice of slicesOf(some, hashedAtOnce)) {
        rejectForged(next, slice, notary);
        next = await extendInParts(next, slice, system);
      }
    return next;
  };

  /**
   * Requires message authentication codes from the first event of a new history on, if the service's own history
   * already requires them.
   */
  const begun = async (progress: SealProgress, isStored: boolean): Promise<SealProgress> => {
    if (isStored || progress.count > 0) return progress;
    const from = await authenticatedFrom(progressStore, { kind: 'absent', revision: 0 });
    return from === null ? progress : { ...progress, authenticatedFrom: from };
  };

  /** Advances the progress over all new events in the store; returns null when another sealer saved first. */
  const extendAndSave = async (organizationId: string, progress: SealProgress, revision: number, isStored: boolean) => {
    // Running processes are checked before the events are read: if all processes add authentication codes, every event
    // after the events read here has a code.
    const canRequireCodes = progress.authenticatedFrom === undefined && (await isEveryEventAuthenticated(ports));
    const read = await extended(organizationId, await begun(progress, isStored), null);
    const next = canRequireCodes ? { authenticatedFrom: read.count, ...read } : read;
    if (next === progress && isStored) return { progress, revision };
    const isSaved = await progressStore.save(organizationId, next, revision);
    return isSaved ? { progress: { ...next, serial: next.serial + 1 }, revision: revision + 1 } : null;
  };

  return { extended, extendAndSave };
};

type Parts = {
  readonly progressStore: SealProgressStore;
  readonly log: SealLog;
  readonly checkIntegrity: ReturnType<typeof createIntegrityCheck>;
  /** Clears the recorded seal failure of an organization. */
  readonly clearFailure: (organizationId: string) => Promise<void>;
};

/**
 * Creates functions that hash the events of organizations, and seal a history when a seal is due and the integrity
 * check passes.
 */
export const createSealMaker = (
  ports: SealerPorts,
  { progressStore, log, checkIntegrity, clearFailure }: Parts,
  policy: SealPolicy,
) => {
  const { system } = ports;
  const steps = createSealSteps(ports, progressStore, log);
  const { extended, extendAndSave } = createHistoryHasher(ports, progressStore);
  /**
   * Serial number that each organization's progress had when this process last read the progress. A lower number in a
   * later read reveals that the progress was rolled back.
   */
  const serials = new Map<string, number>();

  const isDue = ({ unsealed, since, sealed }: SealProgress, volume?: number) =>
    unsealed >= policy.events ||
    // Absolute difference, because `since` may be ahead of the clock, for example after the clock was set back.
    (since !== null && Math.abs(system.now() - since) >= policy.ms) ||
    // A history that was sealed in an earlier volume of the log is sealed again, so that the current volume covers it.
    (volume !== undefined && sealed !== null && sealed.volume !== volume);

  /** Runs the integrity check of an organization, hashes its new events and seals them when due. */
  const checkAndSeal = async (organizationId: string): Promise<void> => {
    const { progress, revision, volume, isStored } = await checkIntegrity(organizationId);
    await clearFailure(organizationId);
    if (progress.moved || progress.sealing) {
      if (progress.moved) await steps.recordMove(organizationId, progress, revision);
      else await steps.complete(organizationId, progress, revision, volume);
      return checkAndSeal(organizationId);
    }
    const saved = await extendAndSave(organizationId, progress, revision, isStored);
    if (!saved) return checkAndSeal(organizationId);
    if (isDue(saved.progress, volume)) await steps.seal(organizationId, saved.progress, saved.revision, volume);
  };

  /**
   * Hashes a batch of events of an organization that passed the integrity check before. Repeats the check, and seals
   * the history, when a seal is due.
   */
  const hashBatch = async (organizationId: string, batch: readonly Recorded[]): Promise<void> => {
    const found = await progressStore.load(organizationId);
    if (found.kind !== 'signed' || found.progress.sealing || found.progress.moved) return checkAndSeal(organizationId);
    const { serial } = found.progress;
    if (serial < (serials.get(organizationId) ?? 0))
      throw new IntegrityError("the sealer's progress was rolled back while the service was running");
    serials.set(organizationId, serial);
    const next = await extended(organizationId, found.progress, batch);
    const isSaved = next === found.progress || (await progressStore.save(organizationId, next, found.revision));
    if (!isSaved || isDue(next)) return checkAndSeal(organizationId);
  };

  return { isDue, checkAndSeal, hashBatch };
};
