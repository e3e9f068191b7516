import { canonical, type Digest, firstLink, type Move, nextLink } from '../../domain/aggregates/audit.js';
import type { DomainNameEvent } from '../../domain/aggregates/domain-name.js';
import { beginning, type EventStore, type Position, type Recorded, systemStreams } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { authenticatedFrom, forgeryIn } from './authenticity.js';
import { type FileLink, type Lines, linksIn, lossesIn, type Verdict } from './export-file.js';
import { createLogProof, type LogProof } from './log-proof.js';
import {
  createProofRecords,
  createStatements,
  createWalk,
  type Flaw,
  type ProofRecords,
  type Statements,
  type Trust,
} from './proof.js';
import { firstRepeat } from './repeated-events.js';
import { sealingMs } from './seals/seal-history.js';
import { createSealProgressStore, isProofEvent, type SealProgressStore } from './seals/seal-progress.js';

export type StoreProof = {
  /** Verifies the stored events, their seals, the seal log and the sealer's progress against each other. */
  verify(organizationId: string, publicKey?: string): Promise<Verdict>;
  /**
   * Compares the stored events with a file that was verified before. Returns the first difference; null if there is
   * none.
   */
  compare(organizationId: string, lines: Lines): Promise<Flaw | null>;
  /** Lists the organizations in the log or in the sealer's progress, including those without stored events. */
  sealedOrganizations(): Promise<readonly string[]>;
  /**
   * Lists the organizations of `sealedOrganizations`, the organizations that hold a domain name, and the service's own
   * organization `system` once it has events.
   */
  organizations(): Promise<readonly string[]>;
};

export type StoreProofPorts = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly notary: Notary;
  readonly system: Pick<System, 'sha256' | 'now'>;
};

const timeText = (time: number) => new Date(time).toISOString();

/**
 * Returns how a stored event differs from the line of a file; null for equal events. `hash` is the chain hash after the
 * stored event.
 */
const differenceOf = (line: FileLink, stored: Recorded | null, hash: string): string | null => {
  if (!stored) return 'missing in the store, which ends before it';
  if (hash === line.hash && stored.time === line.time) return null;
  if (hash === line.hash) return `committed at another time in the store, ${timeText(stored.time)}`;
  return stored.id === line.id
    ? 'altered in the store'
    : `not in the store, where ${canonical(stored.id)} stands instead`;
};

/** Time in ms within which a running service seals an event, including five minutes of tolerance for a busy service. */
const sealedWithinMs = sealingMs + 300_000;

/**
 * Creates a check that finds events that should already have been sealed. Seals cover the first `sealed` events; seals
 * and signed progress together cover the first `proven` events.
 */
const createTail = (sealed: number, proven: number) => {
  let oldest: { readonly event: number; readonly time: number } | null = null;
  let unproven = 0;
  return {
    take: (stored: Recorded, event: number) => {
      if (isProofEvent(stored)) return;
      if (event > sealed) oldest ??= { event, time: stored.time };
      if (event > proven) unproven++;
    },
    unproven: (flaw: Flaw | null) => (flaw || unproven === 0 ? {} : { unproven }),
    flaw: (last: number, now: number): Flaw | null => {
      // Absolute difference, so that an event with a commit time far in the future counts as late too.
      if (!oldest || Math.abs(now - oldest.time) <= sealedWithinMs) return null;
      const reason = `not sealed, though committed at ${timeText(oldest.time)}: a running service seals within an hour`;
      return { event: oldest.event, last, reason, isLate: true };
    },
  };
};

type Remembered = Awaited<ReturnType<SealProgressStore['load']>>;

/**
 * Adds the statements of the sealer's progress to `marks`, and returns the number of events that signed statements
 * cover. Progress saved by an earlier version has no signature and no hash of positions.
 */
const addProgress = (marks: Statements, found: Remembered): number => {
  if (found.kind === 'signed' && found.progress.count > 0) {
    const { count, hash, places } = found.progress;
    marks.add({ count, hash, places, by: `the sealer had hashed ${count} events` });
  }
  const proven = marks.longest();
  if (found.kind !== 'unsigned') return proven;
  const { count, hash, missed } = found.old;
  if (count > 0) marks.add({ count, hash, places: null, by: `the sealer had hashed ${count} events` });
  if (missed) marks.add({ ...missed, places: null, by: `the sealer had once hashed ${missed.count} events` });
  return proven;
};

/**
 * Value of `about` for a flaw of the store itself. An operator cannot accept such a flaw as a loss, because the store
 * would stay faulty.
 */
export const aboutEventStore = 'the event store';
const disorderOf = async (events: EventStore, organizationId: string): Promise<Flaw | null> => {
  const disorder = await events.disorder?.(organizationId, 'full');
  return disorder ? { event: 0, last: 0, about: aboutEventStore, reason: `altered or damaged: ${disorder}` } : null;
};

/**
 * Returns the first event after the accepted ones that is stored twice in its stream; null if there is none. A store
 * that checks its own order finds such events by that check.
 */
const repeatIn = async (
  events: EventStore,
  organizationId: string,
  range: { readonly count: number; readonly accepted: number },
): Promise<Flaw | null> =>
  events.disorder ? null : firstRepeat(() => events.readOrganization(organizationId, beginning), range);

const gone = ({ event, last }: Flaw): Flaw => ({
  event,
  last,
  reason: `missing: the store does not have the organization any more, of which ${last} events were sealed`,
});

/** Adds the organization's seals in the log to `marks`, except seals that an accepted loss supersedes. */
const addLogged = (marks: Statements, records: ProofRecords, moved: Move | null, log: LogProof) => {
  const loss = records.losses().at(-1);
  for (const { index, count, hash, places } of log.leaves) {
    if (loss?.log.volume === log.volume && index < loss.log.size) continue;
    const stated = moved && count <= moved.count ? null : places;
    marks.add({ count, hash, places: stated, by: `a seal over ${count} events was added to the seal log` });
  }
};

const inOrder = (ids: ReadonlySet<string>) => [...ids].toSorted((a, b) => (a < b ? -1 : 1));

const createOrganizationLists = (
  systemEvents: () => AsyncIterable<Recorded>,
  inLog: () => Promise<readonly string[]>,
  inProgress: () => AsyncIterable<string>,
): Pick<StoreProof, 'sealedOrganizations' | 'organizations'> => {
  const sealed = async () => {
    const known = new Set(await inLog());
    for await (const organizationId of inProgress()) known.add(organizationId);
    return known;
  };
  return {
    sealedOrganizations: async () => inOrder(await sealed()),
    organizations: async () => {
      const known = await sealed();
      for await (const { type, data } of systemEvents()) {
        known.add(systemStreams);
        if (type === 'DomainReserved') known.add((data as DomainNameEvent['data']).organizationId);
      }
      return inOrder(known);
    },
  };
};

const compareEvents = async (
  stored: AsyncGenerator<Recorded>,
  organizationId: string,
  lines: Lines,
  sha256: Digest,
): Promise<Flaw | null> => {
  let link = firstLink(organizationId, sha256);
  for await (const line of linksIn(lines)) {
    const event = link.count + 1;
    const { value } = await stored.next();
    if (value) link = nextLink(link, value, sha256);
    const reason = differenceOf(line, value ?? null, link.hash);
    if (reason !== null) return { event, last: event, id: line.id, reason };
  }
  await stored.return(undefined);
  return null;
};

export const createStoreProof = ({ events, state, notary, system: { sha256, now } }: StoreProofPorts): StoreProof => {
  const eventsOf = async function* (organizationId: string) {
    for await (const batch of events.readOrganization(organizationId, beginning)) yield* batch;
  };
  const readRecords = async (records: ProofRecords, organizationId: string): Promise<Position> => {
    let head = beginning;
    for await (const batch of events.readOrganization(organizationId, beginning)) {
      records.read(batch);
      head = batch.at(-1)?.position ?? head;
    }
    return head;
  };
  const firstFlaw = async (
    walk: ReturnType<typeof createWalk>,
    tail: ReturnType<typeof createTail>,
    organizationId: string,
    head: Position,
  ) => {
    for await (const event of eventsOf(organizationId)) {
      if (event.position > head) break;
      const flaw = walk.step(event);
      if (flaw) return flaw;
      tail.take(event, walk.link().count);
    }
    return walk.end();
  };
  const logProof = createLogProof({ events, state, notary });
  const trusting = (publicKey: string): Trust => ({ publicKey, isSigned: notary.isSigned, sha256 });

  return {
    verify: async (organizationId, publicKey = notary.publicKey) => {
      const trust = trusting(publicKey);
      const progressStore = createSealProgressStore(state, notary, publicKey);
      // Progress and log are read before the events, because the sealer may continue while the events are read.
      const found = await progressStore.load(organizationId);
      const log = await logProof.read(organizationId, trust);
      const records = createProofRecords(organizationId, trust);
      const head = await readRecords(records, organizationId);
      const moved = (found.kind === 'signed' && found.progress.moved) || records.moved();
      const marks = createStatements(records, moved);
      addLogged(marks, records, moved, log);
      const proven = addProgress(marks, found);
      const from = (await authenticatedFrom(progressStore, found)) ?? Number.POSITIVE_INFINITY;
      const walk = createWalk(organizationId, marks, trust, (event, n) => forgeryIn(event, n > from, notary));
      const tail = createTail(marks.sealed(), proven);
      const broken = await firstFlaw(walk, tail, organizationId, head);
      const { count, hash } = walk.link();
      const isUnchanged = async () => (await progressStore.load(organizationId)).revision === found.revision;
      const isGone = count === 0 && (log.leaves.length > 0 || found.kind !== 'absent');
      const flaw =
        (await disorderOf(events, organizationId)) ??
        (isGone && broken ? gone(broken) : broken) ??
        (await logProof.disagreement(found, log, records, isUnchanged)) ??
        (await repeatIn(events, organizationId, { count, accepted: marks.accepted })) ??
        tail.flaw(count, now());
      const counts = { events: count, seals: records.seals().length, ...tail.unproven(flaw) };
      return { organizationId, ...counts, hash, flaw, ...lossesIn(records) };
    },
    compare: (organizationId, lines) => compareEvents(eventsOf(organizationId), organizationId, lines, sha256),
    ...createOrganizationLists(
      () => eventsOf(systemStreams),
      () => logProof.organizations(trusting(notary.publicKey)),
      createSealProgressStore(state, notary).organizations,
    ),
  };
};
