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

/** Trusted public key, and the functions to verify signatures and hashes. */
export type Trust = { readonly publicKey: string; readonly isSigned: IsSigned; readonly sha256: Digest };

/** Event with its position in the store or file, and its commit time in Unix ms. */
export type Placed = Chained & { readonly position: Position; readonly time: number };

/**
 * Claim that the first `count` events of a history had the chain hash `hash` at the moment that `by` describes, for
 * example when these events were sealed. `places` is the hash of their positions and commit times; null if positions
 * and times were not recorded, or belong to another store.
 */
type Statement = Link & { readonly places: string | null; readonly by: string };

/**
 * Range of invalid events, numbered from 1. `event` is the number of the first event that differs or, if unknown, of
 * the first event that may differ. For a flaw outside of the events, both numbers are 0 and `about` names the invalid
 * part.
 */
export type Flaw = {
  readonly event: number;
  readonly last: number;
  readonly id?: string;
  readonly about?: string;
  /** True when the only flaw is that no seal covers the events yet. */
  readonly isLate?: true;
  readonly reason: string;
};

const whichEvents = ({ event, last, id, about }: Flaw) => {
  if (event === 0) return about ?? 'the file';
  if (event === last) return `event ${event}${id === undefined ? '' : ` (${id})`}`;
  return `something in the events ${event} to ${last}`;
};
export const flawText = (flaw: Flaw) => `${whichEvents(flaw)} is ${flaw.reason}`;

/** Loss accepted by an operator, with the number of the event that records it. */
export type AcceptedLoss = Loss & { readonly event: number };

type FoundSeal = Seal & { readonly event: number };

export type ProofRecords = {
  /** Reads the events in order and keeps the proof records with a valid signature. */
  read(events: readonly Chained[]): void;
  readonly seals: () => readonly FoundSeal[];
  readonly losses: () => readonly AcceptedLoss[];
  /** Returns the last migration to another store; null if there is none, or if a loss was accepted after it. */
  readonly moved: () => Move | null;
};

const isGenuine = ({ type, data }: Chained, organizationId: string, { publicKey, isSigned }: Trust) => {
  // A history that was tampered with may have any value as data of an event, even none.
  const record = Object(data) as Seal;
  if (!isRecordType(type) || record.organizationId !== organizationId) return false;
  return isSigned(publicKey, recordStatement(type, record), String(record.signature));
};

/**
 * Creates a collector of the genuine proof records of a history, which are collected before any event is verified.
 */
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

export type Statements = {
  add(statement: Statement): void;
  at(count: number): readonly Statement[];
  beyond(count: number): readonly Statement[];
  /** Number of leading events that an operator accepted as they are; 0 if no loss was accepted. */
  readonly accepted: number;
  /** Returns the number of events that the last seal covers. */
  readonly sealed: () => number;
  /** Returns the highest number of events that a statement covers. */
  readonly longest: () => number;
};

/**
 * Collects the statements of a history's proof records. Seals before an accepted loss are ignored, because the loss
 * supersedes them. `places` of seals before a migration are ignored, because they cover positions in another store.
 */
export const createStatements = (records: ProofRecords, moved = records.moved()): Statements => {
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
    add({ count, hash, places: placesAt(count, places), by: `${count} events were sealed` });
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
    longest: () => [...statements.keys()].reduce((most, count) => Math.max(most, count), 0),
  };
};

/**
 * Checks whether the service appended an event, given with its number. Returns the reason if it did not; null for an
 * authentic event.
 */
export type FindForgery = (event: Placed, count: number) => string | null;

/**
 * Creates a verifier that checks a history event by event. Each step returns a flaw if the event is forged or
 * contradicts a statement.
 */
export const createWalk = (
  organizationId: string,
  statements: Statements,
  trust: Trust,
  findForgery: FindForgery = () => null,
) => {
  const { sha256 } = trust;
  let link = firstLink(organizationId, sha256);
  let places = firstPlaces(organizationId, sha256);
  let [proven, placed] = [0, 0];
  const agrees = (): Flaw | null => {
    const stated = statements.at(link.count);
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
      if (link.count > statements.accepted && isRecordType(event.type) && !isGenuine(event, organizationId, trust)) {
        const what = event.type === 'AuditSealed' ? 'a seal' : 'a proof record';
        return {
          event: link.count,
          last: link.count,
          id: event.id,
          reason: `${what} that the trusted key did not sign`,
        };
      }
      const flaw = agrees();
      if (flaw || link.count <= statements.accepted) return flaw;
      const reason = findForgery(event, link.count);
      return reason === null ? null : { event: link.count, last: link.count, id: event.id, reason };
    },
    end: (): Flaw | null => {
      const [longest] = statements.beyond(link.count).toSorted((a, b) => b.count - a.count);
      if (!longest) return null;
      const { count, by } = longest;
      return { event: proven + 1, last: count, reason: `missing: there were ${count - link.count} more when ${by}` };
    },
  };
};
