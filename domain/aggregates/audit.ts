import type { Decider } from '../decider.js';
import type { OfOrganization } from './organization.js';

/** Computes SHA-256 as lowercase hex. */
export type Digest = (text: string) => string;

/**
 * Hashed parts of an event. Position and commit time are not hashed here, because both change in a migration to another
 * store.
 */
export type Chained = {
  readonly stream: string;
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
};

/** Hash chain over the first `count` events of a history (all events of one organization, in order). */
export type Link = {
  /** Number of events, counted from the first event of the history. */
  readonly count: number;
  /** Hash over these events, as SHA-256 in hex. */
  readonly hash: string;
};

/**
 * Hash chain over the content of events, and a second hash over the places (positions and commit times) of these events
 * in their store.
 */
export type Standing = Link & {
  /** Hash over the positions and commit times of these events. */
  readonly places: string;
};

export type KeySignature = {
  /** Id of the key that made the signature. */
  readonly keyId: string;
  /** Signature by that key, in base64. */
  readonly signature: string;
};
type Signed = OfOrganization & KeySignature;

/** Place of a seal in the log of all seals. */
export type LogPlace = {
  /** Volume of the log. A new volume begins when an operator accepts a loss of the log. */
  readonly volume: number;
  /** Place of the seal in its volume, from 0. */
  readonly index: number;
};

/** First `count` events of an organization, identified by their chain hash. */
export type SealedHistory = Link & {
  /** Position of the last of these events, in the store in which the seal was made. */
  readonly position: number;
};

/** Statement about the first `count` events of an organization, signed and stored as an event. */
export type Seal = SealedHistory &
  Signed & {
    /**
     * Hash over the positions and commit times of the sealed events, in the store in which the seal was made; null in
     * a seal of version 1.
     */
    readonly places: string | null;
    /** Place of the seal in the seal log; null in a seal of version 1, which is in no log. */
    readonly log: LogPlace | null;
  };

/**
 * Migration of a history to another store, in which the same events have other positions, as a signed statement.
 */
export type Move = Link &
  Signed & {
    /** Hash over the positions and commit times of the events in the old store. */
    readonly before: string;
    /** Hash over the positions and commit times of the events in the new store. */
    readonly after: string;
    /** Engine of the event store that the history was moved from. */
    readonly from: string;
    /** Engine of the event store that the history was moved to. */
    readonly to: string;
  };

type Acceptance = Signed & {
  /** User of the operating system who accepted the loss. */
  readonly by: string;
  /** Reason that the operator gave. */
  readonly reason: string;
  /** ISO 8601 time at which the loss was accepted. */
  readonly time: string;
};

/** Operator's decision to accept a history that differs from the sealed history, as a signed statement. */
export type Loss = Acceptance & {
  /**
   * Longest history that the sealer's progress or the seal log recorded before the loss was accepted; null if neither
   * recorded one.
   */
  readonly known: Link | null;
  /** History that was found in the store, and accepted. */
  readonly found: Standing;
  /** State of the seal log when the loss was accepted. The first `size` leaves need not match the accepted history. */
  readonly log: Pick<LogPlace, 'volume'> & {
    /** Number of leaves in this volume of the log. */
    readonly size: number;
  };
};

/**
 * Operator's decision to begin a new volume of the seal log after the log was altered, as a signed statement.
 */
export type LogLoss = Acceptance & {
  /** Number of the new volume of the seal log, which begins with this acceptance. */
  readonly volume: number;
  /** Description of the fault in the log. */
  readonly known: string;
};

type AuditEvent =
  | { type: 'AuditSealed'; data: Seal }
  | { type: 'HistoryMoved'; data: Move }
  | { type: 'LossAccepted'; data: Loss }
  | { type: 'LogLossAccepted'; data: LogLoss };
type AuditCommand =
  | { type: 'Seal'; data: Seal }
  | { type: 'RecordMove'; data: Move }
  | { type: 'AcceptLoss'; data: Loss }
  | { type: 'AcceptLogLoss'; data: LogLoss };

/**
 * Version of the hashed and signed format. The version is part of every hashed and signed text, so texts of different
 * versions cannot be confused.
 */
const version = 'chainfold-audit-1';
const secondVersion = 'chainfold-audit-2';

/** Matches texts that need no escapes in JSON: quoting them directly is faster than `JSON.stringify`. */
const plain = /^[ !#-[\]-~]*$/;
const quoted = (text: string) => (plain.test(text) ? `"${text}"` : JSON.stringify(text));

type Member = { readonly key: string; readonly before: string };
const orders = new Map<string, readonly Member[]>();
const maxOrders = 1000;
/** Sorts and quotes the keys of an object. Results are cached, because most objects have one of a few sets of keys. */
const inOrder = (keys: readonly string[]): readonly Member[] => {
  const name = `${keys.length} ${keys.join('\n')}`;
  const known = orders.get(name);
  if (known) return known;
  const order = keys.toSorted().map((key) => ({ key, before: `${JSON.stringify(key)}:` }));
  if (orders.size < maxOrders && keys.every((key) => plain.test(key))) orders.set(name, order);
  return order;
};

/** Serializes a value as JSON with sorted keys, so that equal values have equal texts. */
export const canonical = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  // The text is concatenated, which avoids temporary arrays, because this loop runs for every event of a history that
  // is verified.
  for (const { key, before } of inOrder(Object.keys(members)))
    if (members[key] !== undefined) text += `${text && ','}${before}${canonical(members[key])}`;
  return `{${text}}`;
};

/**
 * Wraps `write` so that the text of the last value is cached. One cached text suffices, because the events of one
 * append share a metadata object.
 */
export const cacheLast = <Value>(write: (value: Value) => string) => {
  let last: { readonly value: Value; readonly text: string } | null = null;
  return (value: Value): string => {
    if (last?.value !== value) last = { value, text: write(value) };
    return last.text;
  };
};

export const firstLink = (organizationId: string, sha256: Digest): Link => ({
  count: 0,
  hash: sha256(`${version}\n${organizationId}`),
});

const metadataText = cacheLast(canonical);
/** Returns the same text as `canonical` for the hashed parts of an event, but caches the text of the metadata. */
const chainedText = ({ stream, id, type, data, metadata }: Chained) =>
  `{"data":${canonical(data)},"id":${canonical(id)},"metadata":${metadataText(metadata)},"stream":${canonical(stream)},"type":${canonical(type)}}`;

/** Returns the text that the message authentication code of an event covers. */
export const authenticatedText = (event: Chained) => `${secondVersion} event\n${chainedText(event)}`;

export const nextLink = ({ count, hash }: Link, event: Chained, sha256: Digest): Link => ({
  count: count + 1,
  hash: sha256(`${hash}\n${chainedText(event)}`),
});

export const firstPlaces = (organizationId: string, sha256: Digest): string =>
  sha256(`${secondVersion} places\n${organizationId}`);

type Placed = { readonly position: number; readonly time: number };
/**
 * Returns the hash over positions and commit times, extended by event number `count`; `time` is the commit time of that
 * event in Unix ms.
 */
export const nextPlaces = (places: string, count: number, { position, time }: Placed, sha256: Digest): string =>
  sha256(`${places}\n${canonical([count, position, time])}`);

/**
 * Returns the text to sign in version 1 of the format. The text contains `kind`, so that the signature of a seal is not
 * valid for an export.
 */
export const signedStatement = (kind: 'seal' | 'export', statement: object) =>
  `${version} ${kind}\n${canonical(statement)}`;

/** Returns the text to sign in version 2 of the format. */
export const statementOf = (
  kind: 'seal' | 'moved' | 'loss' | 'log-loss' | 'memory' | 'head' | 'log',
  statement: object,
) => `${secondVersion} ${kind}\n${canonical(statement)}`;

/** Returns the text to sign for an evidence folder. `manifest` is the text of the folder's manifest file. */
export const evidenceStatement = (manifest: string) => `${secondVersion} evidence\n${manifest}`;

export const sealStatement = ({
  organizationId,
  count,
  position,
  hash,
  places,
  log,
}: Omit<Seal, 'keyId' | 'signature'>) =>
  places == null
    ? signedStatement('seal', { organizationId, count, position, hash })
    : statementOf('seal', { organizationId, count, position, hash, places, log });

/** Statement kind of each event of an audit stream, by event type. The kind is part of the signed text. */
const recordKinds = {
  AuditSealed: 'seal',
  HistoryMoved: 'moved',
  LossAccepted: 'loss',
  LogLossAccepted: 'log-loss',
} as const;
type RecordType = keyof typeof recordKinds;

export const isRecordType = (type: string): type is RecordType => Object.hasOwn(recordKinds, type);

/** Returns the text that the signature of an event of an audit stream covers. */
export const recordStatement = (type: RecordType, data: object): string => {
  if (type === 'AuditSealed') return sealStatement(data as Seal);
  const { keyId, signature, ...statement } = data as Signed;
  return statementOf(recordKinds[type], statement);
};

/**
 * Number of events covered by the seals of one stream. Limits the size of a stream, because appending a seal reads its
 * whole stream.
 */
const eventsPerStream = 100_000;
export const sealKey = (count: number) => String(Math.floor(count / eventsPerStream));

export const audit: Decider<AuditCommand, AuditEvent, { sealed: number; moved: string | null }> = {
  stream: 'audit',
  initial: { sealed: 0, moved: null },
  decide: {
    Seal: ({ sealed }, data) => (data.count > sealed ? [{ type: 'AuditSealed', data }] : []),
    RecordMove: ({ moved }, data) => (data.after === moved ? [] : [{ type: 'HistoryMoved', data }]),
    AcceptLoss: (_, data) => [{ type: 'LossAccepted', data }],
    AcceptLogLoss: (_, data) => [{ type: 'LogLossAccepted', data }],
  },
  evolve: {
    AuditSealed: (state, { count }) => ({ ...state, sealed: count }),
    HistoryMoved: (state, { after }) => ({ ...state, moved: after }),
    // Resets `sealed`: the accepted history may have fewer events than were sealed before, and a seal of no more than
    // `sealed` events would be ignored.
    LossAccepted: (state) => ({ ...state, sealed: 0 }),
    LogLossAccepted: (state) => state,
  },
};
