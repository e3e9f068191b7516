import { headStatement, type LogHead, leafText } from '../../../domain/aggregates/audit/seal-log.js';
import { appendLeaf, type ByteDigest, emptyFrontier, leafHash, nodeHash, rootOf } from '../../../domain/merkle.js';
import { isConsistent } from '../../../domain/merkle-proof.js';
import { groupBy } from '../../async/group-by.js';
import { BrokenLog } from '../log-reading.js';
import type { Trust } from '../proof.js';
import type { SealLog } from '../seals/seal-log.js';
import { anchoredIn } from './anchor.js';
import type { HeadRecord } from './head-record.js';

/** Size and root of the log as stored by a witness; `signed` is null for a head that was anchored on a chain. */
export type WitnessedHead = { readonly size: number; readonly root: string; readonly signed: HeadRecord | null };

/** Witnessed head that the current log does not extend. */
export type Discontinuity = { readonly head: WitnessedHead; readonly reason: string };

type Parsed = Readonly<Record<string, unknown>>;
const asObject = (value: unknown): Parsed => (typeof value === 'object' && value !== null ? (value as Parsed) : {});
const parse = (text: string): Parsed => {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
};
const hash = /^[0-9a-f]{64}$/;
const isHead = ({ size, root, time, key_id, signature }: Parsed) =>
  Number.isSafeInteger(size) &&
  (size as number) >= 0 &&
  hash.test(String(root)) &&
  [time, key_id, signature].every((one) => typeof one === 'string');

const seenIn = (head: HeadRecord): WitnessedHead => ({ size: head.size, root: head.root, signed: head });

/**
 * Parses a head from a line of a witness file, the body of a webhook, the body of `/.well-known/audit-log`, or anchored
 * transaction data; null for any other text.
 */
export const parseWitnessedHead = (text: string): WitnessedHead | null => {
  const anchored = anchoredIn(text.trim());
  if (anchored) return { ...anchored, signed: null };
  const found = parse(text);
  const places = [found, asObject(found.head), asObject(asObject(found.data).head)];
  const head = places.find(isHead) as HeadRecord | undefined;
  return head ? seenIn(head) : null;
};

const isSignedBy = ({ size, root, time, signature }: HeadRecord, { publicKey, isSigned }: Trust) =>
  isSigned(publicKey, headStatement({ size, root, time }), signature);

const unsigned = 'not signed by the trusted key';
const shorter = (size: number) =>
  `of ${size} seals now, fewer than a witness saw: all stores were taken back to an earlier moment together`;
const other = 'not a continuation of what a witness saw: it was rebuilt, or forged with the signing key';

const flawOf = ({ size, signed }: WitnessedHead, present: number, trust: Trust): string | null => {
  if (signed && !isSignedBy(signed, trust)) return unsigned;
  return size > present ? shorter(present) : null;
};

/** Returns the first head, by size, whose root differs from the root of the log at that size. */
const firstOther = async (heads: readonly WitnessedHead[], log: Pick<SealLog, 'leaves'>, sha256: ByteDigest) => {
  const bySize = groupBy(heads, ({ size }) => size);
  let frontier = emptyFrontier;
  const differing = () => bySize.get(frontier.size)?.find(({ root }) => root !== rootOf(frontier, sha256));
  let found = differing();
  for await (const leaf of log.leaves(0, heads.at(-1)?.size ?? 0)) {
    if (found) break;
    frontier = appendLeaf(frontier, leafHash(leafText(leaf), sha256), sha256);
    found = differing();
  }
  return found;
};

/** Returns the first head that the stored log does not extend; null when the log extends all heads. */
export const firstDiscontinuity = async (
  heads: readonly WitnessedHead[],
  log: Pick<SealLog, 'head' | 'leaves'>,
  trust: Trust,
): Promise<Discontinuity | null> => {
  const inOrder = heads.toSorted((a, b) => a.size - b.size);
  const present = await log.head().catch((error: unknown) => {
    if (error instanceof BrokenLog) return error;
    throw error;
  });
  for (const head of inOrder) {
    const broken = present instanceof BrokenLog ? `broken: ${present.message}` : null;
    const reason = broken ?? flawOf(head, (present as LogHead | null)?.size ?? 0, trust);
    if (reason !== null) return { head, reason };
  }
  const found = await firstOther(inOrder, log, trust.sha256 as ByteDigest);
  return found ? { head: found, reason: other } : null;
};

/** Log of a running service, read over HTTP: its current head and its consistency proofs. */
export type RemoteLog = {
  /** Returns the newest head; null while nothing is sealed. */
  head(): Promise<HeadRecord | null>;
  consistency(from: number, to: number): Promise<readonly string[]>;
};

/** Returns the first head that the log of a running service does not extend, by verifying the service's proofs. */
export const firstRemoteDiscontinuity = async (
  heads: readonly WitnessedHead[],
  log: RemoteLog,
  trust: Trust,
): Promise<Discontinuity | null> => {
  const node = (left: string, right: string) => nodeHash(left, right, trust.sha256 as ByteDigest);
  const present = await log.head();
  if (present && !isSignedBy(present, trust)) return { head: seenIn(present), reason: unsigned };
  for (const head of heads.toSorted((a, b) => a.size - b.size)) {
    const flaw = flawOf(head, present?.size ?? 0, trust);
    if (flaw !== null) return { head, reason: flaw };
    if (!present) continue;
    const path = head.size === 0 ? [] : await log.consistency(head.size, present.size);
    if (!isConsistent(head, present, path, node)) return { head, reason: other };
  }
  return null;
};
