import {
  type Chained,
  type Digest,
  firstLink,
  firstPlaces,
  isRecordType,
  type Link,
  type Loss,
  type Move,
  nextLink,
  nextPlaces,
  recordStatement,
  type Seal,
} from '../../domain/aggregates/audit.js';
import type { Position } from '../ports/event-store.js';
import type { IsSigned } from '../ports/notary.js';

/** Public key to believe, and the means to check signatures under it. */
export type Trust = { readonly publicKey: string; readonly isSigned: IsSigned; readonly sha256: Digest };

/** Event with the place that it has in its store or file; the time is in Unix ms. */
export type Placed = Chained & { readonly position: Position; readonly time: number };

/**
 * Count and hashes that were stated of a history's first events; `by` says on which occasion. Places are null where
 * they were not stated, or not of the store that the history is in now.
 */
type Statement = Link & { readonly places: string | null; readonly by: string };

/**
 * Events that are wrong, counted from 1: from the first that differs or, where that cannot be known, the first that
 * may. A flaw that is in no event has 0 for both, and `about` names the thing that is wrong.
 */
export type Flaw = {
  readonly event: number;
  readonly last: number;
  readonly id?: string;
  readonly about?: string;
  /** True when nothing is known to be wrong, but no seal covers the events yet. */
  readonly isLate?: true;
  readonly reason: string;
};

/** Loss that an operator accepted, and the number of the event that says so. */
export type AcceptedLoss = Loss & { readonly event: number };

type FoundSeal = Seal & { readonly event: number };

export type ProofRecords = {
  /** Takes the events in their order, and keeps the records of the proof whose signature is valid. */
  read(events: readonly Chained[]): void;
  readonly seals: () => readonly FoundSeal[];
  readonly losses: () => readonly AcceptedLoss[];
  /** Returns the last move, unless a loss was accepted after it. */
  readonly moved: () => Move | null;
};

const isGenuine = ({ type, data }: Chained, organizationId: string, { publicKey, isSigned }: Trust) => {
  // A history that was tampered with may hold any value here.
  const record = Object(data) as Seal;
  if (!isRecordType(type) || record.organizationId !== organizationId) return false;
  return isSigned(publicKey, recordStatement(type, record), String(record.signature));
};

/** Collects the genuine records of the proof in a history, all of them before any event is checked. */
export const createProofRecords = (organizationId: string, trust: Trust): ProofRecords => {
  const [seals, losses]: [FoundSeal[], AcceptedLoss[]] = [[], []];
  let moved: Move | null = null;
  let event = 0;
  const keep: Readonly<Record<string, (data: object) => void>> = {
    AuditSealed: (data) => seals.push({ ...(data as Seal), event }),
    LossAccepted: (data) => {
      losses.push({ ...(data as Loss), event });
      moved = null;
    },
    HistoryMoved: (data) => {
      moved = data as Move;
    },
  };
  return {
    read: (events) => {
      for (const one of events) {
        event++;
        if (isRecordType(one.type) && isGenuine(one, organizationId, trust)) keep[one.type]?.(one.data);
      }
    },
    seals: () => seals,
    losses: () => losses,
    moved: () => moved,
  };
};

export type Marks = {
  add(statement: Statement): void;
  at(count: number): readonly Statement[];
  beyond(count: number): readonly Statement[];
  /** Number of events that an operator accepted as they are, whatever they were before. */
  readonly accepted: number;
  /** Returns how many events the last seal covers. */
  readonly sealed: () => number;
};

/**
 * Collects the statements of a history's records. Seals before an accepted loss are left out, because the loss states
 * anew what is there; places of seals before a move are those of another store.
 */
export const createMarks = (records: ProofRecords, moved = records.moved()): Marks => {
  const statements = new Map<number, Statement[]>();
  const loss = records.losses().at(-1);
  const add = (statement: Statement) => {
    const same = statements.get(statement.count);
    if (same) same.push(statement);
    else statements.set(statement.count, [statement]);
  };
  const placesAt = (count: number, places: string | null) => (moved && count <= moved.count ? null : (places ?? null));
  const inForce = records.seals().filter(({ event }) => event > (loss?.event ?? 0));
  for (const { count, hash, places } of inForce)
    add({ count, hash, places: placesAt(count, places), by: `a seal was put over ${count} events` });
  if (loss) {
    const { count, hash, places } = loss.found;
    add({ count, hash, places: placesAt(count, places), by: `the loss of events was accepted at ${loss.time}` });
  }
  if (moved) add({ ...moved, places: moved.after, by: `the history was moved from ${moved.from} to ${moved.to}` });
  return {
    add,
    accepted: loss?.found.count ?? 0,
    at: (count) => statements.get(count) ?? [],
    beyond: (count) => [...statements].flatMap(([at, found]) => (at > count ? found : [])),
    sealed: () => inForce.reduce((most, { count }) => Math.max(most, count), 0),
  };
};

/** Checks a history event by event and returns the first that contradicts a statement. */
export const createWalk = (organizationId: string, marks: Marks, trust: Trust) => {
  const { sha256 } = trust;
  let link = firstLink(organizationId, sha256);
  let places = firstPlaces(organizationId, sha256);
  let [proven, placed] = [0, 0];
  const agrees = (): Flaw | null => {
    const stated = marks.at(link.count);
    const broken = stated.find(({ hash }) => hash !== link.hash);
    if (broken) return { event: proven + 1, last: link.count, reason: `not what it was when ${broken.by}` };
    const moved = stated.find((one) => one.places !== null && one.places !== places);
    if (moved) {
      const reason = `at another position or commit time than when ${moved.by}`;
      return { event: placed + 1, last: link.count, reason };
    }
    if (stated.length > 0) proven = link.count;
    if (stated.some((one) => one.places !== null)) placed = link.count;
    return null;
  };
  return {
    link: () => link,
    /** Number of events that the last confirmed statement covers. */
    proven: () => proven,
    step: (event: Placed): Flaw | null => {
      link = nextLink(link, event, sha256);
      places = nextPlaces(places, link.count, event, sha256);
      if (link.count > marks.accepted && isRecordType(event.type) && !isGenuine(event, organizationId, trust)) {
        const what = event.type === 'AuditSealed' ? 'a seal' : 'a record of the proof';
        return {
          event: link.count,
          last: link.count,
          id: event.id,
          reason: `${what} that the trusted key did not sign`,
        };
      }
      return agrees();
    },
    end: (): Flaw | null => {
      const [longest] = marks.beyond(link.count).toSorted((a, b) => b.count - a.count);
      if (!longest) return null;
      const { count, by } = longest;
      return { event: proven + 1, last: count, reason: `missing: there were ${count - link.count} more when ${by}` };
    },
  };
};
