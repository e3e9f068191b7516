import type { Decider } from '../decider.js';

/** SHA-256 as lower-case hex. */
export type Digest = (text: string) => string;

/** Hashed parts of an event; position and commit time belong to the store and change when a history is moved. */
export type Chained = {
  readonly stream: string;
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
};

/** Number of events up to a place in a history, and the hash over all of them in their order. */
export type Link = { readonly count: number; readonly hash: string };

/** Link with a second hash over the positions and commit times that the events have in their store. */
export type Standing = Link & { readonly places: string };

type Signed = { readonly organizationId: string; readonly keyId: string; readonly signature: string };

/** Place of a seal in the log of all seals; a volume of the log ends when a loss of the log is accepted. */
type LogPlace = { readonly volume: number; readonly index: number };

/** Statement, signed and stored as an event, of what the first `count` events of an organization were. */
export type Seal = Link &
  Signed & {
    readonly position: number;
    /** Hash over positions and commit times; null in a seal of version 1, which does not cover them. */
    readonly places: string | null;
    /** Place in the log; null in a seal of version 1, which no log has. */
    readonly log: LogPlace | null;
  };

/** Record of a move to another store, where the same events have other positions. */
export type Move = Link &
  Signed & { readonly before: string; readonly after: string; readonly from: string; readonly to: string };

/** Record of an operator's decision to go on with what is there, although more or something else was known. */
export type Loss = Signed & {
  readonly known: Link | null;
  readonly found: Standing;
  /** Volume and size of the log at that time: leaves before it need not agree with the history. */
  readonly log: { readonly volume: number; readonly size: number };
  readonly by: string;
  readonly reason: string;
  readonly time: string;
};

/** Record of an operator's decision to begin a new volume of the log, because the former is not what it was. */
export type LogLoss = Signed & {
  readonly volume: number;
  readonly known: string;
  readonly by: string;
  readonly reason: string;
  readonly time: string;
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

/** Version of what is hashed and signed; it is part of both, so that no hash of one version is valid in another. */
const version = 'chainfold-audit-1';
const secondVersion = 'chainfold-audit-2';

/** Texts that JSON writes without escapes: testing for them is faster than `JSON.stringify`. */
const plain = /^[ !#-[\]-~]*$/;
const quoted = (text: string) => (plain.test(text) ? `"${text}"` : JSON.stringify(text));

type Member = { readonly key: string; readonly before: string };
const orders = new Map<string, readonly Member[]>();
const maxOrders = 1000;
/** Caches the sorted and quoted keys, since most objects have one of a few sets of keys. */
const inOrder = (keys: readonly string[]): readonly Member[] => {
  const name = `${keys.length} ${keys.join('\n')}`;
  const known = orders.get(name);
  if (known) return known;
  const order = keys.toSorted().map((key) => ({ key, before: `${JSON.stringify(key)}:` }));
  if (orders.size < maxOrders && keys.every((key) => plain.test(key))) orders.set(name, order);
  return order;
};

/** Writes JSON with sorted keys, so that a value has one text however it was stored. */
export const canonical = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  // Concatenation avoids temporary arrays: every event of a history passes here whenever it is proven.
  for (const { key, before } of inOrder(Object.keys(members)))
    if (members[key] !== undefined) text += `${text && ','}${before}${canonical(members[key])}`;
  return `{${text}}`;
};

/** Caches the text of the last value only: events that were written together share one metadata object. */
export const rememberLast = <Value>(write: (value: Value) => string) => {
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

const metadataText = rememberLast(canonical);
/** Writes the same text as `canonical`, but reuses that of the metadata. */
const chainedText = ({ stream, id, type, data, metadata }: Chained) =>
  `{"data":${canonical(data)},"id":${canonical(id)},"metadata":${metadataText(metadata)},"stream":${canonical(stream)},"type":${canonical(type)}}`;

export const nextLink = ({ count, hash }: Link, event: Chained, sha256: Digest): Link => ({
  count: count + 1,
  hash: sha256(`${hash}\n${chainedText(event)}`),
});

export const firstPlaces = (organizationId: string, sha256: Digest): string =>
  sha256(`${secondVersion} places\n${organizationId}`);

type Placed = { readonly position: number; readonly time: number };
/** Continues the hash over places with event `count`; the time is in Unix ms. */
export const nextPlaces = (places: string, count: number, { position, time }: Placed, sha256: Digest): string =>
  sha256(`${places}\n${canonical([count, position, time])}`);

/** Returns the text to be signed; `kind` keeps the signature of a seal from being valid for an export. */
export const signedStatement = (kind: 'seal' | 'export', statement: object) =>
  `${version} ${kind}\n${canonical(statement)}`;

/** Returns the text to be signed in the second version. */
export const statementOf = (
  kind: 'seal' | 'moved' | 'loss' | 'log-loss' | 'memory' | 'head' | 'log',
  statement: object,
) => `${secondVersion} ${kind}\n${canonical(statement)}`;

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

/** Kinds of the statements that the records of an audit stream sign, by type. */
const recordKinds = {
  AuditSealed: 'seal',
  HistoryMoved: 'moved',
  LossAccepted: 'loss',
  LogLossAccepted: 'log-loss',
} as const;
type RecordType = keyof typeof recordKinds;

/** Tells whether events of a type are signed records of the proof. */
export const isRecordType = (type: string): type is RecordType => Object.hasOwn(recordKinds, type);

/** Returns the text that a record of the proof is signed for. */
export const recordStatement = (type: RecordType, data: object): string => {
  if (type === 'AuditSealed') return sealStatement(data as Seal);
  const { keyId, signature, ...statement } = data as Signed;
  return statementOf(recordKinds[type], statement);
};

/** Events whose seals share a stream, which keeps the stream short enough to be read before each new seal. */
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
    // A history that lost events may be sealed over fewer of them than before.
    LossAccepted: (state) => ({ ...state, sealed: 0 }),
    LogLossAccepted: (state) => state,
  },
};
