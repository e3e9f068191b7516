import type { Decider } from './decider.js';

/** SHA-256 as lower-case hex. */
export type Digest = (text: string) => string;

/** What of an event is proven. Its position and commit time are the store's and change when a history moves to another. */
export type Chained = {
  readonly stream: string;
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
};

/** How many events there are up to a place, and the hash that stands for all of them in their order. */
export type Link = { readonly count: number; readonly hash: string };

/** Stored facts: a signed statement of what the first `count` events of an organization were. */
export type Seal = Link & {
  readonly organizationId: string;
  readonly position: number;
  readonly keyId: string;
  readonly signature: string;
};
type AuditEvent = { type: 'AuditSealed'; data: Seal };
type AuditCommand = { type: 'Seal'; data: Seal };

/** Changes with what is hashed or signed, so that the two meanings never meet. */
const version = 'chainfold-audit-1';

/** Most texts need no escapes; telling so is faster than escaping. */
const plain = /^[ !#-[\]-~]*$/;
const quoted = (text: string) => (plain.test(text) ? `"${text}"` : JSON.stringify(text));

type Member = { readonly key: string; readonly before: string };
const orders = new Map<string, readonly Member[]>();
const mostOrders = 1000;
/** Most objects have the same few sets of keys, which need not be sorted and written each time. */
const inOrder = (keys: readonly string[]): readonly Member[] => {
  const name = `${keys.length} ${keys.join('\n')}`;
  const known = orders.get(name);
  if (known) return known;
  const order = keys.toSorted().map((key) => ({ key, before: `${JSON.stringify(key)}:` }));
  if (orders.size < mostOrders && keys.every((key) => plain.test(key))) orders.set(name, order);
  return order;
};

/** JSON with sorted keys: one text for one value, however it was stored. */
export const canonical = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  // Built by hand, since every event goes through here whenever its history is proven.
  for (const { key, before } of inOrder(Object.keys(members)))
    if (members[key] !== undefined) text += `${text && ','}${before}${canonical(members[key])}`;
  return `{${text}}`;
};

/** For what often comes several times in a row, like the metadata of events that were written together. */
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
/** The same as `canonical` gives. */
const chainedText = ({ stream, id, type, data, metadata }: Chained) =>
  `{"data":${canonical(data)},"id":${canonical(id)},"metadata":${metadataText(metadata)},"stream":${canonical(stream)},"type":${canonical(type)}}`;

export const nextLink = ({ count, hash }: Link, event: Chained, sha256: Digest): Link => ({
  count: count + 1,
  hash: sha256(`${hash}\n${chainedText(event)}`),
});

/** The text that is signed; `kind` keeps a seal from being taken for something else that is signed. */
export const signedStatement = (kind: 'seal' | 'export', statement: object) =>
  `${version} ${kind}\n${canonical(statement)}`;

export const sealStatement = ({ organizationId, count, position, hash }: Omit<Seal, 'keyId' | 'signature'>) =>
  signedStatement('seal', { organizationId, count, position, hash });

/** A stream holds the seals over so many events: it stays short enough to be read for the next one. */
const eventsPerStream = 100_000;
export const sealKey = (count: number) => String(Math.floor(count / eventsPerStream));

export const audit: Decider<AuditCommand, AuditEvent, { sealed: number }> = {
  stream: 'audit',
  initial: { sealed: 0 },
  decide: { Seal: ({ sealed }, data) => (data.count > sealed ? [{ type: 'AuditSealed', data }] : []) },
  evolve: { AuditSealed: (_, { count }) => ({ sealed: count }) },
};
