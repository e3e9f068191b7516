import { audit, type Link, sealKey, statementOf } from '../../domain/aggregates/audit.js';
import { fail } from '../../domain/failure.js';
import { globalContext, type Operation, step } from '../commands/handle.js';
import { beginning } from '../ports/event-store.js';
import { noEntry } from '../ports/state.js';
import { BrokenLog, type LastLeaf, loggedFrom, logMemoryId, logOwner } from './log-reading.js';
import { createSealLog, type SealerPorts } from './seal-log.js';
import {
  createSealProgress,
  extendInParts,
  type Memory,
  objectIn,
  type SealProgress,
  startOf,
} from './seal-progress.js';
import type { StoreProof } from './store-proof.js';

type Ports = SealerPorts & { readonly verify: StoreProof['verify'] };

/** Lets an operator go on with what is there; the decision becomes a signed event that every later proof tells. */
export type LossAcceptance = {
  /** Accepts the history of an organization as it is; returns how many events it has, and how many were known. */
  ofHistory(by: Operation, organizationId: string, reason: string): Promise<{ found: number; known: number | null }>;
  /** Begins a new volume of the log of seals, and returns its number. */
  ofLog(by: Operation, reason: string): Promise<number>;
};

type Remembered = Awaited<ReturnType<SealProgress['load']>>;

/** Returns the longest history that memory or log know of. */
const knownOf = (found: Remembered, last: LastLeaf | null): Link | null => {
  const remembered = found.kind === 'signed' ? found.memory : found.kind === 'unsigned' ? found.old : null;
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
  return fail('FAILED_PRECONDITION', `${whyBroken(error)}: accept the loss of the log first, with --log`);
};

export const createLossAcceptance = (ports: Ports): LossAcceptance => {
  const { events, state, handle, notary, system, verify } = ports;
  const memories = createSealProgress(state, notary);

  const whatIsThere = async (organizationId: string) => {
    let chain = startOf(organizationId, system.sha256);
    for await (const batch of events.readOrganization(organizationId, beginning))
      chain = await extendInParts(chain, batch, system);
    return chain;
  };

  /** Returns the number of the first volume after the remembered one that has no entries. */
  const freeVolume = async (memory: string) => {
    let volume = 1 + (Number((objectIn(memory) as { volume?: unknown }).volume) || 0);
    while (!(await loggedFrom(events, volume, 0).next()).done) volume++;
    return volume;
  };

  return {
    ofHistory: async (by, organizationId, reason) => {
      if (!(await verify(organizationId)).flaw)
        return fail('FAILED_PRECONDITION', 'memory, log and history agree: there is no loss to accept');
      const { volume, size, lastOf } = await createSealLog(ports).refresh().catch(brokenLog);
      const last = lastOf(organizationId);
      const before = await memories.load(organizationId);
      const known = knownOf(before, last);
      const chain = await whatIsThere(organizationId);
      const { count, hash, places } = chain;
      const time = new Date(system.now()).toISOString();
      const found = { count, hash, places };
      const stated = { organizationId, known, found, log: { volume, size }, by: by.actor.id, reason, time };
      const data = { ...stated, keyId: notary.keyId, signature: notary.sign(statementOf('loss', stated)) };
      await handle(globalContext(by, organizationId), [
        step(audit, organizationId, sealKey(count), { type: 'AcceptLoss', data }),
      ]);
      const serial = before.kind === 'signed' ? before.memory.serial : 0;
      // The history is due at once, so that a seal soon covers what was accepted.
      const memory: Memory = { ...chain, serial, since: 0, sealed: last && { ...last, volume } };
      if (!(await memories.save(organizationId, memory, before.revision)))
        return fail('CONFLICT', 'the sealer went on meanwhile; verify the history again');
      return { found: count, known: known?.count ?? null };
    },
    ofLog: async (by, reason) => {
      const log = createSealLog(ports);
      const known = await log.refresh().then(() => null, whyBroken);
      if (known === null)
        return fail('FAILED_PRECONDITION', 'the log of seals is the one that was written: there is no loss to accept');
      const entry = await state.get('processes', logMemoryId);
      const volume = await freeVolume(entry?.value ?? '');
      const time = new Date(system.now()).toISOString();
      const stated = { organizationId: logOwner, volume, known, by: by.actor.id, reason, time };
      const data = { ...stated, keyId: notary.keyId, signature: notary.sign(statementOf('log-loss', stated)) };
      await handle(globalContext(by, logOwner), [step(audit, logOwner, sealKey(0), { type: 'AcceptLogLoss', data })]);
      if (!(await log.beginVolume(volume, entry?.revision ?? noEntry)))
        return fail('CONFLICT', 'another process wrote the memory of the log meanwhile; try again');
      return volume;
    },
  };
};
