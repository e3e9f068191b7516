import { organizationOf, type Recorded } from '../../ports/event-store.js';
import { fromCheckpoint } from '../../processes/from-checkpoint.js';
import { isEveryEventAuthenticated } from '../authenticity.js';
import { createIntegrityCheck } from '../integrity-check.js';
import { createSealMaker, type SealPolicy } from './make-seals.js';
import { createSealFailures, wholeLog } from './seal-failures.js';
import { createSealLog, type SealerPorts } from './seal-log.js';
import { createSealProgressStore } from './seal-progress.js';

type Sealer = {
  /** Seals histories as their events arrive. */
  follow(signal: AbortSignal): Promise<void>;
  /** Seals histories whose unsealed events are older than the policy allows. */
  sealOverdue(signal: AbortSignal): Promise<void>;
};
export const sealingMs = 3_600_000;
const defaultPolicy: SealPolicy = { events: 1000, ms: sealingMs };
/**
 * Pause in milliseconds that lets events accumulate before they are hashed, because seals are not urgent. The pause is
 * skipped after batches of `largeBatch` events or more.
 */
const pauseMs = 1000;
const largeBatch = 400;
const pollIntervalMs = 60_000;

const byOrganization = (batch: readonly Recorded[]) => {
  const found = new Map<string, Recorded[]>();
  for (const event of batch) {
    const organizationId = organizationOf(event.stream);
    const own = found.get(organizationId);
    if (own) own.push(event);
    else found.set(organizationId, [event]);
  }
  return found;
};

/**
 * Creates a sealer, which seals an organization's history whenever it has `policy.events` unsealed events or its oldest
 * unsealed event is `policy.ms` old, unless the integrity check fails. Several sealers may run at once, because each
 * continues from the saved progress.
 */
export const createSealer = (ports: SealerPorts, policy = defaultPolicy): Sealer => {
  const { events, state, notary, system } = ports;
  const progressStore = createSealProgressStore(state, notary);
  const log = createSealLog(ports);
  const checkIntegrity = createIntegrityCheck({ events, progressStore, log, sha256: system.sha256 });
  const { recordFailure, clearFailures } = createSealFailures(state, system);
  const follow = fromCheckpoint('seal-history', ports);
  const parts = {
    progressStore,
    log,
    checkIntegrity,
    clearFailure: (organizationId: string) => clearFailures(organizationId, wholeLog),
  };
  const { isDue, checkAndSeal, hashBatch } = createSealMaker(ports, parts, policy);

  /** Signs the progress saved by an earlier version and begins the log. Unsigned progress is rejected afterwards. */
  const prepare = async () => {
    if (!(await log.refresh()).isBegun)
      for await (const organizationId of progressStore.organizations())
        await recordFailure(organizationId, async () => {
          const { progress, revision } = await checkIntegrity(organizationId);
          await progressStore.save(organizationId, progress, revision);
        });
    await log.begin();
  };

  /**
   * Seals every history whose seal is overdue, or that has no seal in the current volume of the log. Begins to require
   * message authentication codes as soon as every process adds them. Measures the age of the oldest event that stays
   * unsealed.
   */
  const sealDue = async () => {
    let volume: number | undefined;
    const startedAt = system.now();
    let oldest = startedAt;
    await recordFailure(wholeLog, async () => {
      ({ volume } = await log.refresh());
    });
    const canRequireCodes = await isEveryEventAuthenticated(ports);
    for await (const organizationId of progressStore.organizations()) {
      const found = await progressStore.load(organizationId);
      const isSealed =
        (found.kind !== 'signed' ||
          isDue(found.progress, volume) ||
          (canRequireCodes && found.progress.authenticatedFrom === undefined)) &&
        (await recordFailure(organizationId, () => checkAndSeal(organizationId)));
      // A `since` of 0 is ignored: it is not a commit time, but marks a history that must be sealed at once.
      if (!isSealed && found.kind === 'signed') oldest = Math.min(oldest, found.progress.since || oldest);
    }
    ports.measure?.('unsealed', (startedAt - oldest) / 1000, {});
  };

  return {
    follow: async (signal) => {
      await recordFailure(wholeLog, prepare);
      const known = new Set<string>();
      return follow(signal, async (batch) => {
        for (const [organizationId, own] of byOrganization(batch)) {
          const work = () =>
            known.has(organizationId) ? hashBatch(organizationId, own) : checkAndSeal(organizationId);
          if (await recordFailure(organizationId, work)) known.add(organizationId);
          else known.delete(organizationId);
        }
        if (batch.length < largeBatch) await system.sleep(pauseMs, signal);
        return true;
      });
    },
    sealOverdue: async (signal) => {
      await recordFailure(wholeLog, prepare);
      while (!signal.aborted) {
        await sealDue();
        await system.sleep(pollIntervalMs, signal);
      }
    },
  };
};
