import type { Logged } from '../../domain/aggregates/audit/seal-log.js';
import { BrokenLog, type LogStores, logOwner, readLog } from './log-reading.js';
import type { Flaw, ProofRecords, Trust } from './proof.js';
import type { SealProgressStore } from './seals/seal-progress.js';

/** Seals of an organization in the stored log; `flaw` is the reason why the log is invalid, null for a valid log. */
export type LogProof = {
  readonly volume: number;
  readonly size: number;
  readonly isBegun: boolean;
  readonly leaves: readonly Logged[];
  readonly flaw: string | null;
};

type Remembered = Awaited<ReturnType<SealProgressStore['load']>>;

const aboutLog = (reason: string): Flaw => ({ event: 0, last: 0, about: 'the seal log', reason });
const aboutProgress = (reason: string): Flaw => ({ event: 0, last: 0, about: "the sealer's progress", reason });

/** Returns a flaw if the sealer's progress is missing although seals were made, is forged, or is not signed. */
const flawOfProgress = (found: Remembered, { isBegun, leaves }: LogProof, records: ProofRecords): Flaw | null => {
  const seals = Math.max(leaves.length, records.seals().length);
  if (found.kind === 'absent' && seals > 0) return aboutProgress(`missing, although ${seals} seals were made`);
  if (found.kind === 'false') return aboutProgress(`forged: ${found.reason}`);
  return found.kind === 'unsigned' && isBegun ? aboutProgress('not signed') : null;
};

/** Returns the first seal that is in the log but not in the history, or in the history but not in the log. */
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
  const reason = `missing: a seal over ${lost.count} events, which the log has at index ${lost.index}`;
  return { event: lost.count + 1, last: lost.count + 1, reason };
};

/**
 * Returns a flaw if the last seal that the sealer's progress records is later or earlier than the organization's last
 * seal in the log.
 */
const staleProgress = (found: Remembered, log: LogProof): Flaw | null => {
  if (found.kind !== 'signed') return null;
  const { sealed, sealing } = found.progress;
  if (sealed && sealed.volume > log.volume)
    return aboutLog(`volume ${log.volume}, although volume ${sealed.volume} was begun`);
  const known = sealed?.volume === log.volume ? sealed.index : -1;
  const last = log.leaves.at(-1)?.index ?? -1;
  if (last < known)
    return aboutLog(`without the seal over ${sealed?.count} events, which the sealer's progress records`);
  if (last === known || sealing) return null;
  return aboutProgress(`older than the log, which has a seal over ${log.leaves.at(-1)?.count} events`);
};

/**
 * Creates functions that verify the seal log, and compare the seals and the sealer's progress of one organization with
 * the log.
 */
export const createLogProof = (stores: LogStores) => ({
  read: async (organizationId: string, trust: Trust): Promise<LogProof> => {
    const leaves: Logged[] = [];
    const keep = (logged: Logged) => {
      if (logged.organizationId === organizationId) leaves.push(logged);
    };
    try {
      const { walk, checkpoint } = await readLog(stores, trust, null, keep);
      const { size } = walk.frontier();
      return { volume: walk.volume, size, isBegun: checkpoint !== null, leaves, flaw: null };
    } catch (error) {
      if (!(error instanceof BrokenLog)) throw error;
      return { volume: 0, size: 0, isBegun: true, leaves, flaw: error.message };
    }
  },
  /**
   * Returns the first contradiction between progress, log and seals; null when there is none, or when the sealer saved
   * its progress during the reads, in which case a contradiction proves nothing.
   */
  disagreement: async (
    found: Remembered,
    log: LogProof,
    records: ProofRecords,
    isUnchanged: () => Promise<boolean>,
  ): Promise<Flaw | null> => {
    const isSealing = found.kind === 'signed' && found.progress.sealing !== null;
    const flaw =
      log.flaw === null
        ? (flawOfProgress(found, log, records) ??
          staleProgress(found, log) ??
          (isSealing ? null : missingSeal(log, records)))
        : aboutLog(`not the one that was written: ${log.flaw}`);
    return flaw && (await isUnchanged()) ? flaw : null;
  },
  /**
   * Lists the organizations in the log. For a broken log, the list includes `logOwner`, so that the verification of
   * that owner reports the fault.
   */
  organizations: async (trust: Trust): Promise<readonly string[]> => {
    const found = new Set<string>();
    await readLog(stores, trust, null, ({ organizationId }) => found.add(organizationId)).catch((error: unknown) => {
      if (!(error instanceof BrokenLog)) throw error;
      found.add(logOwner);
    });
    return [...found];
  },
});
