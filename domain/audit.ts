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

/** JSON with sorted keys: one text for one value, however it was stored. */
export const canonical = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  // Built by hand, since every event goes through here whenever its history is proven.
  for (const key of Object.keys(members).sort((a, b) => (a < b ? -1 : 1)))
    if (members[key] !== undefined) text += `${text && ','}${quoted(key)}:${canonical(members[key])}`;
  return `{${text}}`;
};

export const firstLink = (organizationId: string, sha256: Digest): Link => ({
  count: 0,
  hash: sha256(`${version}\n${organizationId}`),
});

export const nextLink = (
  { count, hash }: Link,
  { stream, id, type, data, metadata }: Chained,
  sha256: Digest,
): Link => ({ count: count + 1, hash: sha256(`${hash}\n${canonical({ stream, id, type, data, metadata })}`) });

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
