import {
  type Chained,
  cacheLast,
  canonical,
  type Digest,
  firstLink,
  type Link,
  nextLink,
  signedStatement,
} from '../../domain/aggregates/audit.js';
import type { Position, Recorded } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import {
  type AcceptedLoss,
  createProofRecords,
  createStatements,
  createWalk,
  type Flaw,
  type ProofRecords,
  type Trust,
} from './proof.js';

/** First line of an export. */
type Header = {
  readonly chainfold_audit: 1;
  readonly organization_id: string;
  readonly export_time: string;
  readonly key_id: string;
  readonly public_key: string;
};
/**
 * Last line of an export, which is signed: the count and the hash of all events, and the hash of all lines before it.
 */
type Head = {
  readonly organization_id: string;
  readonly count: number;
  readonly position: Position;
  readonly hash: string;
  readonly line: string;
  readonly key_id: string;
};
/**
 * Line of one event. `hash` is the chain hash after the event; the line hash `line` also covers number, position and
 * time of the event.
 */
type EventLine = Chained & { readonly n: number; readonly position: Position; readonly time: string } & {
  readonly hash: string;
  readonly line: string;
};

/** State of an export after a line: both hash chains (of events and of lines) and the position of the last event. */
type Place = { readonly link: Link; readonly line: string; readonly position: Position };

/** Lines of a file, without line ends. */
export type Lines = AsyncIterable<string>;

const headerText = ({ organization_id, export_time, key_id, public_key }: Header) =>
  JSON.stringify({ chainfold_audit: 1, organization_id, export_time, key_id, public_key });
const headText = (head: Head, signature: string) => JSON.stringify({ head, signature });
const metadataText = cacheLast<object>((metadata) => JSON.stringify(metadata));
const timeText = cacheLast<number>((time) => new Date(time).toISOString());

/**
 * Returns whether `text` is `time` in the notation of exports. Other notations of the same time are rejected, because
 * the hash of the line covers the text.
 */
const isWritten = (time: number, text: string) => !Number.isNaN(time) && timeText(time) === text;

type Shown = Omit<EventLine, 'n' | 'position' | 'hash' | 'line'>;
/** Serializes an event by hand: every event of an export passes through here, and `JSON.stringify` is slower. */
const eventText = ({ stream, id, type, data, metadata, time }: Shown, { link, line, position }: Place) =>
  `{"n":${link.count},"position":${canonical(position)},"time":${canonical(time)},"stream":${canonical(stream)},"id":${canonical(id)},"type":${canonical(type)},"data":${JSON.stringify(data)},"metadata":${metadataText(metadata)},"hash":"${link.hash}","line":"${line}"}`;

const start = (header: Header, sha256: Digest): Place => ({
  link: firstLink(header.organization_id, sha256),
  line: sha256(headerText(header)),
  position: 0,
});
const next = (before: Place, link: Link, position: Position, time: string, sha256: Digest): Place => ({
  link,
  position,
  line: sha256(`${before.line}\n${canonical([link.count, link.hash, position, time])}`),
});
const headAt = ({ organization_id, key_id }: Header, { link, line, position }: Place): Head => ({
  organization_id,
  count: link.count,
  position,
  hash: link.hash,
  line,
  key_id,
});

/** Yields the text of an export, in chunks of whole lines. */
export const writeExport = async function* (
  organizationId: string,
  history: AsyncIterable<readonly Recorded[]>,
  { notary, sha256, time }: { notary: Notary; sha256: Digest; time: string },
): AsyncGenerator<string> {
  const header: Header = {
    chainfold_audit: 1,
    organization_id: organizationId,
    export_time: time,
    key_id: notary.keyId,
    public_key: notary.publicKey,
  };
  yield `${headerText(header)}\n`;
  let place = start(header, sha256);
  const lineOf = (event: Recorded) => {
    const committed = timeText(event.time);
    place = next(place, nextLink(place.link, event, sha256), event.position, committed, sha256);
    const { stream, id, type, data, metadata } = event;
    return `${eventText({ stream, id, type, data, metadata, time: committed }, place)}\n`;
  };
  for await (const batch of history) yield batch.map(lineOf).join('');
  const head = headAt(header, place);
  yield `${headText(head, notary.sign(signedStatement('export', head)))}\n`;
};

type Parsed = Readonly<Record<string, unknown>>;
const parse = (text: string): Parsed | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Parsed) : null;
  } catch {
    return null;
  }
};

export type Verdict = {
  readonly organizationId: string;
  readonly events: number;
  readonly seals: number;
  readonly hash: string;
  readonly flaw: Flaw | null;
  /** Public key in the header of the verified file; absent if a store was verified, or a file without a header. */
  readonly signedBy?: string;
  /**
   * Number of events in the store that neither a seal nor the sealer's signed progress covers; absent if there are
   * none.
   */
  readonly unproven?: number;
  /** Losses that operators accepted, oldest first. */
  readonly losses?: readonly AcceptedLoss[];
};

const whyLine = (given: unknown, expected: number) => {
  if (typeof given !== 'number' || given === expected) return 'altered';
  return given > expected ? `missing: number ${given} stands in its place` : `inserted or moved: it is number ${given}`;
};

const createFileWalk = (header: Header, records: ProofRecords, trust: Trust) => {
  const walk = createWalk(header.organization_id, createStatements(records), trust);
  let place = start(header, trust.sha256);
  /** Flaw of the signed head, null when it has none; undefined before the head was read. */
  let closed: Flaw | null | undefined;
  const one = (reason: string, id?: unknown): Flaw => {
    const event = place.link.count + 1;
    return { event, last: event, reason, ...(typeof id === 'string' && { id }) };
  };

  const takeEvent = (text: string, parsed: Parsed | null): Flaw | null => {
    if (!parsed) return one('not a line of JSON');
    const given = parsed as EventLine;
    const why = one(whyLine(given.n, place.link.count + 1), given.id);
    const time = Date.parse(given.time);
    const revealed = walk.step({ ...given, time });
    place = next(place, walk.link(), given.position, given.time, trust.sha256);
    return isWritten(time, given.time) && text === eventText(given, place) ? revealed : why;
  };
  const takeHead = (text: string, { head, signature }: Parsed): Flaw | null => {
    const own = headAt(header, place);
    const [stated, signed] = [(head ?? {}) as Head, String(signature)];
    const unproven = (reason: string): Flaw => ({ event: walk.proven() + 1, last: own.count, reason });
    if (!trust.isSigned(trust.publicKey, signedStatement('export', stated), signed))
      return unproven('not signed for: the head is not one that the trusted key signed');
    if (stated.count > own.count) return { ...one('missing: the tail was cut'), last: stated.count };
    if (stated.count < own.count)
      return { event: stated.count + 1, last: own.count, reason: 'inserted behind the last event that the head signs' };
    if (canonical(stated) !== canonical(own)) return unproven('not those that the head signs');
    return text === headText(own, signed) ? walk.end() : unproven('followed by a head that was altered');
  };
  return {
    count: () => place.link.count,
    hash: () => place.link.hash,
    take: (text: string): Flaw | null => {
      // Lines after the head are a flaw. If the head is invalid too, the head is reported as standing in the place of
      // an event; otherwise, the line after the head is reported.
      if (closed !== undefined) return one(closed ? 'a head in the place of an event' : 'behind the signed head');
      const parsed = parse(text);
      if (!parsed || !('head' in parsed)) return takeEvent(text, parsed);
      closed = takeHead(text, parsed);
      return null;
    },
    end: (): Flaw | null => (closed === undefined ? one('missing: the file ends before its signed head') : closed),
  };
};

/** Matches lines of proof records, so that other lines need not be parsed. */
const isRecordLine = /"(AuditSealed|HistoryMoved|LossAccepted|LogLossAccepted)"/;

const headerIn = (text: string): Header | null => {
  const header = parse(text) as Header | null;
  return header && headerText(header) === text ? header : null;
};

/** Reads the header and collects the proof records, without checking any event. */
const survey = async (lines: Lines, trustIn: (header: Header) => Trust) => {
  let found: { header: Header; trust: Trust; records: ProofRecords } | null = null;
  for await (const text of lines) {
    if (found) found.records.read([(isRecordLine.test(text) ? (parse(text) ?? {}) : {}) as unknown as Chained]);
    if (found) continue;
    const header = headerIn(text);
    if (!header) return null;
    const trust = trustIn(header);
    found = { header, trust, records: createProofRecords(header.organization_id, trust) };
  }
  return found;
};

/** Returns `{ losses }` with the accepted losses; an empty object if there are none. */
export const lossesIn = (records: ProofRecords) => (records.losses().length > 0 ? { losses: records.losses() } : {});

/**
 * Verifies an export in two passes: the first collects its proof records, the second checks every line. `trusted` is
 * the trusted public key; without it, the file is verified with its own key, which proves only that the file is
 * consistent.
 */
export const verifyExport = async (
  open: () => Lines,
  { trusted, ...proof }: Omit<Trust, 'publicKey'> & { trusted: string | undefined },
): Promise<Verdict> => {
  const found = await survey(open(), ({ public_key }) => ({ ...proof, publicKey: trusted ?? public_key }));
  const verdict = { organizationId: found?.header.organization_id ?? '', events: 0, seals: 0, hash: '' };
  if (!found)
    return { ...verdict, flaw: { event: 0, last: 0, reason: 'not an export: its first line is not an export header' } };
  const { header, trust, records } = found;
  const signedBy = header.public_key;
  if (signedBy !== trust.publicKey)
    return {
      ...verdict,
      signedBy,
      flaw: { event: 0, last: 0, reason: `signed under key ${header.key_id}, not the trusted one` },
    };
  const walk = createFileWalk(header, records, trust);
  let flaw: Flaw | null = null;
  let isHeader = true;
  for await (const text of open()) {
    flaw = isHeader ? null : walk.take(text);
    isHeader = false;
    if (flaw) break;
  }
  return {
    ...verdict,
    events: walk.count(),
    seals: records.seals().length,
    hash: walk.hash(),
    flaw: flaw ?? walk.end(),
    signedBy,
    ...lossesIn(records),
  };
};

/** Id, chain hash and commit time (Unix ms) of an event in a file. */
export type FileLink = { readonly id: string; readonly hash: string; readonly time: number };

/** Yields the id, hash and time of each event of a file that was verified before. */
export const linksIn = async function* (lines: Lines): AsyncGenerator<FileLink> {
  for await (const text of lines) {
    const { id, hash, time } = (parse(text) ?? {}) as Partial<EventLine>;
    if (id !== undefined && hash !== undefined) yield { id, hash, time: Date.parse(String(time)) };
  }
};
