import type { Digest } from '../../domain/aggregates/audit.js';
import { beginning, type EventStore } from '../ports/event-store.js';
import { BrokenLog, type LastLeaf } from './log-reading.js';
import type { LogState, SealLog } from './seal-log.js';
import { extend, type Memory, type SealProgress, startOf, type UnsignedMemory } from './seal-progress.js';

/** Thrown when memory, log and history of an organization do not agree, so that nothing is sealed there. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';
}

type Ports = {
  /** Events as they are stored. */
  readonly events: EventStore;
  readonly memory: SealProgress;
  readonly log: SealLog;
  readonly sha256: Digest;
};
/** Memory that agrees with log and history, and the volume of the log. */
type Agreed = {
  readonly memory: Memory;
  readonly volume: number;
  /** Revision of the stored memory, and whether that is the one above. */
  readonly revision: number;
  readonly isStored: boolean;
};

const disagree = (reason: string): never => {
  throw new Disagreement(reason);
};

const isSameLeaf = (one: { count: number; hash: string; places: string }, other: typeof one) =>
  one.count === other.count && one.hash === other.hash && one.places === other.places;

/** Returns the last seal in the log if the memory does not know it; the seal being made may be in the log already. */
const unknownSeal = ({ sealed, sealing }: Memory, { volume, lastOf }: LogState, organizationId: string) => {
  const last: LastLeaf | null = lastOf(organizationId);
  if (sealed && sealed.volume > volume) throw new BrokenLog(`the log is volume ${volume}, and was ${sealed.volume}`);
  const known = sealed?.volume === volume ? sealed : null;
  if (known && (!last || last.index < known.index))
    throw new BrokenLog(`the log lost the seal over ${known.count} events of ${organizationId}`);
  if (!last || (known && last.index === known.index && isSameLeaf(last, known))) return null;
  if (known?.index === last.index)
    throw new BrokenLog(`the log has another seal of ${organizationId} in place ${last.index}`);
  return sealing && isSameLeaf(last, sealing.leaf) ? null : last;
};

/** Ways to find in a history the memory that the sealer must have of it. */
const createHistoryReader = ({ events, sha256 }: Pick<Ports, 'events' | 'sha256'>) => {
  const isInPlace = async (organizationId: string, { position, eventId }: Memory) => {
    if (eventId === null) return true;
    for await (const [newest] of events.readOrganizationBackwards(organizationId, { position }))
      return newest?.position === position && newest.id === eventId;
    return false;
  };
  /**
   * Tells whether the event hashed last is still in its place; if not, the history was replaced, cut or moved. The store
   * is asked twice before it is accused.
   */
  const isStillThere = async (organizationId: string, memory: Memory) =>
    (await isInPlace(organizationId, memory)) || (await isInPlace(organizationId, memory));

  /** Begins a memory where there is none; a history that has seals had one. */
  const begin = async (organizationId: string, now: LogState): Promise<Memory> => {
    const last = now.lastOf(organizationId);
    if (last) disagree(`the sealer's memory is absent, although the log has a seal over ${last.count} events`);
    for await (const batch of events.readOrganization(organizationId, beginning))
      if (batch.some(({ type }) => type === 'AuditSealed'))
        disagree("the sealer's memory is absent, although the history has seals");
    return startOf(organizationId, sha256);
  };

  /** Takes over what an earlier version remembered without a signature, if the history is still what it was. */
  const takeOver = async (organizationId: string, { count, hash, missed }: UnsignedMemory): Promise<Memory> => {
    if (missed) disagree(`the history lost events: there were ${missed.count}`);
    let chain = startOf(organizationId, sha256);
    for await (const batch of events.readOrganization(organizationId, beginning)) {
      chain = extend(chain, batch.slice(0, count - chain.count), sha256);
      if (chain.count === count) break;
    }
    if (chain.count !== count || chain.hash !== hash)
      disagree(`the history is not the one of ${count} events that the sealer went over`);
    return chain;
  };

  /** Continues a memory that is older than the log, as in a restored backup, if the history has what the log says. */
  const catchUp = async (organizationId: string, memory: Memory, last: LastLeaf, volume: number): Promise<Memory> => {
    let chain = memory;
    for await (const batch of events.readOrganization(organizationId, memory.position)) {
      chain = extend(chain, batch.slice(0, Math.max(0, last.count - chain.count)), sha256);
      if (chain.count >= last.count) break;
    }
    if (!isSameLeaf(chain, last))
      disagree(`the history is not the one of ${last.count} events of which the log has a seal`);
    return { ...chain, unsealed: 0, since: null, sealed: { ...last, volume }, sealing: null };
  };

  return { isStillThere, begin, takeOver, catchUp };
};

/**
 * Finds out whether memory, log and history of an organization agree, which must be so before anything is sealed: a
 * seal over a history that was cut or replaced would prove the forgery.
 */
export const createAgreement = (ports: Ports) => {
  const { memory: memories, log } = ports;
  const { isStillThere, begin, takeOver, catchUp } = createHistoryReader(ports);

  /** Compares a signed memory with log and history, and continues it where it is older than the log. */
  const compared = async (organizationId: string, memory: Memory, now: LogState) => {
    const last = unknownSeal(memory, now, organizationId);
    if (!(await isStillThere(organizationId, memory)))
      disagree(`the history is not the one that was sealed: event ${memory.count} is not in its place`);
    return last ? catchUp(organizationId, memory, last, now.volume) : memory;
  };

  const check = async (organizationId: string): Promise<Agreed> => {
    const found = await memories.load(organizationId);
    const now = await log.refresh();
    const rest = { revision: found.revision, volume: now.volume, isStored: false };
    if (found.kind === 'absent') return { memory: await begin(organizationId, now), ...rest };
    if (found.kind === 'false') return disagree(`the sealer's memory is false: ${found.reason}`);
    if (found.kind === 'unsigned') {
      if (now.isBegun) disagree("the sealer's memory is not signed");
      return { memory: await takeOver(organizationId, found.old), ...rest };
    }
    const memory = await compared(organizationId, found.memory, now);
    return { ...rest, memory, isStored: memory === found.memory };
  };

  /** Returns the memory of an organization; throws Disagreement, or BrokenLog when no organization can be sealed. */
  return async function agreed(organizationId: string): Promise<Agreed> {
    const { revision } = await memories.load(organizationId);
    try {
      return await check(organizationId);
    } catch (error) {
      // Another sealer may have gone on between the reads: then what was read does not belong together.
      if ((await memories.load(organizationId)).revision !== revision) return agreed(organizationId);
      throw error;
    }
  };
};
