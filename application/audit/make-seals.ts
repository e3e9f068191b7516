import type { LogLeaf } from '../../domain/aggregates/audit/seal-log.js';
import { audit, isRecordType, recordStatement, sealKey, sealStatement } from '../../domain/aggregates/audit.js';
import { globalContext, step } from '../commands/handle.js';
import type { Recorded } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import { type createAgreement, Disagreement } from './agreement.js';
import type { SealerPorts, SealLog } from './seal-log.js';
import { extendInParts, type Memory, type SealProgress } from './seal-progress.js';

export type Rhythm = { readonly events: number; readonly ms: number };

/** Refuses a history with a record of the proof that this service did not sign. */
const refuseForged = (batch: readonly Recorded[], { publicKey, isSigned }: Notary) => {
  for (const { type, data, id } of batch) {
    if (!isRecordType(type)) continue;
    const { signature } = Object(data) as { signature?: unknown };
    if (!isSigned(publicKey, recordStatement(type, Object(data)), String(signature)))
      throw new Disagreement(`the history has a record of the proof, ${id}, that the key of this service did not sign`);
  }
};

/** Writes seals, and the records of moves, into the histories; each may be written twice and is stored once. */
const createSealWriter = ({ handle, notary, system }: SealerPorts, log: SealLog) => {
  const context = (organizationId: string) =>
    globalContext({ actor: { kind: 'process', id: 'history sealer' }, requestId: system.uuid() }, organizationId);
  return {
    /** Writes the seal into the log and then into the history; returns its place in the log. */
    seal: async (leaf: LogLeaf, volume: number, since: number) => {
      const index = await log.append(leaf, since);
      const sealed = { ...leaf, log: { volume, index } };
      const data = { ...sealed, keyId: notary.keyId, signature: notary.sign(sealStatement(sealed)) };
      const { organizationId, count } = leaf;
      await handle(context(organizationId), [step(audit, organizationId, sealKey(count), { type: 'Seal', data })]);
      return index;
    },
    moved: (organizationId: string, moved: NonNullable<Memory['moved']>) =>
      handle(context(organizationId), [
        step(audit, organizationId, sealKey(moved.count), { type: 'RecordMove', data: moved }),
      ]),
  };
};

/** Makes seals in three steps, each of which is in the memory first: an interrupted seal is completed later. */
const createMaker = (ports: SealerPorts, memories: SealProgress, log: SealLog) => {
  const records = createSealWriter(ports, log);
  /** Makes the seal that the memory says is being made; nothing is saved when another sealer saved first. */
  const complete = async (organizationId: string, memory: Memory, revision: number, now: number) => {
    const { leaf, volume, since } = memory.sealing as NonNullable<Memory['sealing']>;
    const rest = { ...memory, unsealed: 0, since: null, sealing: null };
    // A seal that a lost volume was meant to hold is made anew.
    if (volume !== now) return memories.save(organizationId, { ...rest, since: 0 }, revision);
    const index = await records.seal(leaf, volume, since);
    const { count, hash, places } = leaf;
    return memories.save(organizationId, { ...rest, sealed: { volume, index, count, hash, places } }, revision);
  };
  const seal = async (organizationId: string, memory: Memory, revision: number, volume: number) => {
    const { size } = await log.refresh();
    const { count, hash, places, position } = memory;
    const leaf = { organizationId, count, hash, places, position };
    const next = { ...memory, sealing: { leaf, volume, since: size } };
    // Another sealer may have saved its memory first; then it seals.
    if (await memories.save(organizationId, next, revision))
      await complete(organizationId, { ...next, serial: next.serial + 1 }, revision + 1, volume);
  };
  const recordMove = async (organizationId: string, memory: Memory, revision: number) => {
    if (memory.moved) await records.moved(organizationId, memory.moved);
    return memories.save(organizationId, { ...memory, moved: null }, revision);
  };
  return { complete, seal, recordMove };
};

type Parts = {
  readonly memories: SealProgress;
  readonly log: SealLog;
  readonly agreed: ReturnType<typeof createAgreement>;
  /** Notes that memory, log and history of an organization agree. */
  readonly agrees: (organizationId: string) => Promise<void>;
};

/** Goes over the events of organizations, and seals them when a seal is due and memory, log and history agree. */
export const createSealMaker = (ports: SealerPorts, { memories, log, agreed, agrees }: Parts, rhythm: Rhythm) => {
  const { events, notary, system } = ports;
  const maker = createMaker(ports, memories, log);
  /** Serial of each memory when this process read it last. */
  const serials = new Map<string, number>();

  const isDue = ({ unsealed, since, sealed }: Memory, volume?: number) =>
    unsealed >= rhythm.events ||
    // A time ahead of the clock is from before the clock was corrected.
    (since !== null && Math.abs(system.now() - since) >= rhythm.ms) ||
    // A new volume of the log gets a seal of every history.
    (volume !== undefined && sealed !== null && sealed.volume !== volume);

  /** Continues the memory over new events, or over all that the store has where `batch` is null. */
  const extended = async (organizationId: string, memory: Memory, batch: readonly Recorded[] | null) => {
    let next = memory;
    for await (const some of batch ? [batch] : events.readOrganization(organizationId, memory.position)) {
      refuseForged(some, notary);
      next = await extendInParts(next, some, system);
    }
    return next;
  };

  /** Continues the memory over what the store has; returns null when another sealer saved first. */
  const extendAndSave = async (organizationId: string, memory: Memory, revision: number, isStored: boolean) => {
    const next = await extended(organizationId, memory, null);
    if (next === memory && isStored) return { memory, revision };
    const isSaved = await memories.save(organizationId, next, revision);
    return isSaved ? { memory: { ...next, serial: next.serial + 1 }, revision: revision + 1 } : null;
  };

  /** Checks memory, log and history of an organization, goes over the events that are new and seals them when due. */
  const reckon = async (organizationId: string): Promise<void> => {
    const { memory, revision, volume, isStored } = await agreed(organizationId);
    await agrees(organizationId);
    if (memory.moved || memory.sealing) {
      if (memory.moved) await maker.recordMove(organizationId, memory, revision);
      else await maker.complete(organizationId, memory, revision, volume);
      return reckon(organizationId);
    }
    const saved = await extendAndSave(organizationId, memory, revision, isStored);
    if (!saved) return reckon(organizationId);
    if (isDue(saved.memory, volume)) await maker.seal(organizationId, saved.memory, saved.revision, volume);
  };

  /** Goes over a batch of an organization that was checked before, and checks it again when a seal is due. */
  const reckonOn = async (organizationId: string, batch: readonly Recorded[]): Promise<void> => {
    const found = await memories.load(organizationId);
    if (found.kind !== 'signed' || found.memory.sealing || found.memory.moved) return reckon(organizationId);
    const { serial } = found.memory;
    if (serial < (serials.get(organizationId) ?? 0))
      throw new Disagreement("the sealer's memory went back while the service ran");
    serials.set(organizationId, serial);
    const next = await extended(organizationId, found.memory, batch);
    const isSaved = next === found.memory || (await memories.save(organizationId, next, found.revision));
    if (!isSaved || isDue(next)) return reckon(organizationId);
  };

  return { isDue, reckon, reckonOn };
};
