import type { Logged } from '../../domain/aggregates/audit/seal-log.js';
import type { EventStore } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import { BrokenLog, readOn } from './log-reading.js';
import type { Flaw, ProofRecords, Trust } from './proof.js';
import type { SealProgress } from './seal-progress.js';

/** Seals of an organization in the log as it is stored, and what is wrong with the log. */
export type LogProof = {
  readonly volume: number;
  readonly size: number;
  readonly isBegun: boolean;
  readonly leaves: readonly Logged[];
  readonly flaw: string | null;
};

type Remembered = Awaited<ReturnType<SealProgress['load']>>;

const aboutLog = (reason: string): Flaw => ({ event: 0, last: 0, about: 'the log of seals', reason });
const aboutMemory = (reason: string): Flaw => ({ event: 0, last: 0, about: "the sealer's memory", reason });

/** Tells what is wrong with the memory itself, whatever the history is. */
const flawOfMemory = (found: Remembered, { isBegun, leaves }: LogProof, records: ProofRecords): Flaw | null => {
  const seals = Math.max(leaves.length, records.seals().length);
  if (found.kind === 'absent' && seals > 0) return aboutMemory(`absent, although ${seals} seals were made`);
  if (found.kind === 'false') return aboutMemory(`false: ${found.reason}`);
  return found.kind === 'unsigned' && isBegun ? aboutMemory('not signed') : null;
};

/** Tells whether a seal that the log has is missing in the history, or one in the history is missing in the log. */
const missingSeal = (log: LogProof, records: ProofRecords): Flaw | null => {
  const loss = records.losses().at(-1);
  const from = loss?.log.volume === log.volume ? loss.log.size : 0;
  const places = new Map(log.leaves.map(({ index, hash }) => [index, hash]));
  const held = new Set<number>();
  for (const { log: place, hash, event, count } of records.seals()) {
    if (!place || place.volume !== log.volume || place.index >= log.size) continue;
    held.add(place.index);
    if (event > (loss?.event ?? 0) && places.get(place.index) !== hash)
      return aboutLog(`without the seal over ${count} events, which is event ${event} of the history`);
  }
  const lost = log.leaves.find(({ index }) => index >= from && !held.has(index));
  if (!lost) return null;
  const reason = `missing: a seal over ${lost.count} events, which the log has in place ${lost.index}`;
  return { event: lost.count + 1, last: lost.count + 1, reason };
};

/** Tells whether the memory knows a later seal than the log, or the log than the memory. */
const staleMemory = (found: Remembered, log: LogProof): Flaw | null => {
  if (found.kind !== 'signed') return null;
  const { sealed, sealing } = found.memory;
  if (sealed && sealed.volume > log.volume)
    return aboutLog(`volume ${log.volume}, although volume ${sealed.volume} was begun`);
  const known = sealed?.volume === log.volume ? sealed.index : -1;
  const last = log.leaves.at(-1)?.index ?? -1;
  if (last < known) return aboutLog(`without the seal over ${sealed?.count} events, which the sealer remembers`);
  if (last === known || sealing) return null;
  return aboutMemory(`older than the log, which has a seal over ${log.leaves.at(-1)?.count} events`);
};

/** Checks the log of all seals, and the seals and the memory of one organization against it. */
export const createLogProof = (stores: { readonly events: EventStore; readonly state: StateStore }) => ({
  read: async (organizationId: string, trust: Trust): Promise<LogProof> => {
    const leaves: Logged[] = [];
    const keep = (logged: Logged) => {
      if (logged.organizationId === organizationId) leaves.push(logged);
    };
    try {
      const { walk, memory } = await readOn(stores, trust, null, keep);
      const { size } = walk.frontier();
      return { volume: walk.volume, size, isBegun: memory !== null, leaves, flaw: null };
    } catch (error) {
      if (!(error instanceof BrokenLog)) throw error;
      return { volume: 0, size: 0, isBegun: true, leaves, flaw: error.message };
    }
  },
  /** Returns the first disagreement of memory, log and seals; only when the sealer has not gone on meanwhile. */
  disagreement: async (
    found: Remembered,
    log: LogProof,
    records: ProofRecords,
    isUnchanged: () => Promise<boolean>,
  ): Promise<Flaw | null> => {
    const isSealing = found.kind === 'signed' && found.memory.sealing !== null;
    const flaw =
      log.flaw === null
        ? (flawOfMemory(found, log, records) ??
          staleMemory(found, log) ??
          (isSealing ? null : missingSeal(log, records)))
        : aboutLog(`not the one that was written: ${log.flaw}`);
    return flaw && (await isUnchanged()) ? flaw : null;
  },
  organizations: async (trust: Trust): Promise<readonly string[]> => {
    const found = new Set<string>();
    await readOn(stores, trust, null, ({ organizationId }) => found.add(organizationId)).catch((error: unknown) => {
      if (!(error instanceof BrokenLog)) throw error;
    });
    return [...found];
  },
});
