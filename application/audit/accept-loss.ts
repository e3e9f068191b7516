import { audit, type Link, sealKey, statementOf } from '../../domain/aggregates/audit.js';
import { fail } from '../../domain/failure.js';
import { globalContext, type Operation, step } from '../commands/handle.js';
import { beginning } from '../ports/event-store.js';
import { noEntry } from '../ports/state.js';
import { BrokenLog, type LastLeaf, logCheckpointId, logEntriesFrom, logOwner } from './log-reading.js';
import { createSealLog, type SealerPorts } from './seals/seal-log.js';
import {
  createSealProgressStore,
  extendInParts,
  parseObject,
  type SealProgress,
  type SealProgressStore,
  startOf,
} from './seals/seal-progress.js';
import { aboutEventStore, type StoreProof } from './store-proof.js';

type Ports = SealerPorts & { readonly verify: StoreProof['verify'] };

/**
 * Lets an operator accept stored data that contradicts its seals. The decision becomes a signed event that every later
 * proof reports.
 */
export type LossAcceptance = {
  /**
   * Accepts the stored events of an organization as they are. `found` is the number of these events; `known` is the
   * highest number of events that the sealer's progress or the seal log records, null if neither records any events.
   */
  ofHistory(by: Operation, organizationId: string, reason: string): Promise<{ found: number; known: number | null }>;
  /** Accepts the loss of a broken seal log: begins a new volume of the log and returns the number of the volume. */
  ofLog(by: Operation, reason: string): Promise<number>;
};

type Remembered = Awaited<ReturnType<SealProgressStore['load']>>;

/**
 * Returns count and hash of the longest history that the sealer's progress or the seal log records; null if neither
 * records a history.
 */
const longestKnown = (found: Remembered, last: LastLeaf | null): Link | null => {
  const remembered = found.kind === 'signed' ? found.progress : found.kind === 'unsigned' ? found.old : null;
  const longest = [remembered, last].reduce<Link | null>(
    (most, one) => (one && one.count > (most?.count ?? 0) ? one : most),
    null,
  );
  return longest && { count: longest.count, hash: longest.hash };
};

const whyBroken = (error: unknown): string => {
  if (error instanceof BrokenLog) return error.message;
  throw error;
};
const brokenLog = (error: unknown): never => {
  return fail('FAILED_PRECONDITION', `The seal log is broken: ${whyBroken(error)}. Accept its loss first, with --log.`);
};

export const createLossAcceptance = (ports: Ports): LossAcceptance => {
  const { events, state, handle, notary, system, verify } = ports;
  const progressStore = createSealProgressStore(state, notary);

  const hashHistory = async (organizationId: string) => {
    let chain = startOf(organizationId, system.sha256);
    for await (const batch of events.readOrganization(organizationId, beginning))
      chain = await extendInParts(chain, batch, system);
    return chain;
  };

  /** Returns the number of the first empty volume of the seal log after the volume that the log's checkpoint names. */
  const freeVolume = async (checkpoint: string) => {
    let volume = 1 + (Number((parseObject(checkpoint) as { volume?: unknown }).volume) || 0);
    while (!(await logEntriesFrom(events, volume, 0).next()).done) volume++;
    return volume;
  };

  return {
    ofHistory: async (by, organizationId, reason) => {
      const { flaw } = await verify(organizationId);
      if (!flaw) return fail('FAILED_PRECONDITION', 'Seals and history agree: there is no loss to accept.');
      if (flaw.about === aboutEventStore)
        return fail(
          'FAILED_PRECONDITION',
          `The event store is ${flaw.reason}. Restore a backup: accepting a loss does not repair the store.`,
        );
      const { volume, size, lastOf } = await createSealLog(ports).refresh().catch(brokenLog);
      const last = lastOf(organizationId);
      const before = await progressStore.load(organizationId);
      const known = longestKnown(before, last);
      const chain = await hashHistory(organizationId);
      const { count, hash, places } = chain;
      const time = new Date(system.now()).toISOString();
      const found = { count, hash, places };
      const stated = { organizationId, known, found, log: { volume, size }, by: by.actor.id, reason, time };
      const data = { ...stated, keyId: notary.keyId, signature: notary.sign(statementOf('loss', stated)) };
      await handle(globalContext(by, organizationId), [
        step(audit, organizationId, sealKey(count), { type: 'AcceptLoss', data }),
      ]);
      const serial = before.kind === 'signed' ? before.progress.serial : 0;
      // `since: 0` makes the history due for sealing at once, so that a seal soon covers the accepted events.
      const progress: SealProgress = { ...chain, serial, since: 0, sealed: last && { ...last, volume } };
      if (!(await progressStore.save(organizationId, progress, before.revision)))
        return fail('CONFLICT', 'The history was sealed concurrently. Verify it again.');
      return { found: count, known: known?.count ?? null };
    },
    ofLog: async (by, reason) => {
      const log = createSealLog(ports);
      const known = await log.refresh().then(() => null, whyBroken);
      if (known === null) return fail('FAILED_PRECONDITION', 'The seal log is intact: there is no loss to accept.');
      const entry = await state.get('processes', logCheckpointId);
      const volume = await freeVolume(entry?.value ?? '');
      const time = new Date(system.now()).toISOString();
      const stated = { organizationId: logOwner, volume, known, by: by.actor.id, reason, time };
      const data = { ...stated, keyId: notary.keyId, signature: notary.sign(statementOf('log-loss', stated)) };
      await handle(globalContext(by, logOwner), [step(audit, logOwner, sealKey(0), { type: 'AcceptLogLoss', data })]);
      if (!(await log.beginVolume(volume, entry?.revision ?? noEntry)))
        return fail('CONFLICT', 'The seal log was modified concurrently. Retry the command.');
      return volume;
    },
  };
};
