import {
  headStatement,
  type Logged,
  type LogHead,
  leafText,
  leavesPerStream,
  logKey,
  sealLog,
} from '../../domain/aggregates/audit/seal-log.js';
import { type Digest, statementOf } from '../../domain/aggregates/audit.js';
import { appendLeaf, emptyFrontier, type Frontier, leafHash, rootOf } from '../../domain/merkle.js';
import { type EventStore, streamName } from '../ports/event-store.js';
import type { IsSigned, Notary } from '../ports/notary.js';
import { noEntry, type StateStore } from '../ports/state.js';
import { parseObject } from './seals/seal-progress.js';

/** Organization id under which the streams of the seal log are stored. */
export const logOwner = 'system';

/** Thrown when the seal log was tampered with or lost. Nothing can be sealed until an operator accepts the loss. */
export class BrokenLog extends Error {
  override readonly name = 'BrokenLog';
}

export const logStream = (volume: number, index: number) => streamName(logOwner, sealLog.stream, logKey(volume, index));

/** Yields the stored entries of a volume, starting at index `from`. */
export const logEntriesFrom = async function* (
  events: Pick<EventStore, 'read'>,
  volume: number,
  from: number,
): AsyncGenerator<Logged> {
  for (let first = from - (from % leavesPerStream); ; first += leavesPerStream) {
    const { events: found } = await events.read(logStream(volume, first));
    for (const { data } of found.slice(Math.max(0, from - first))) yield data as Logged;
    if (found.length < leavesPerStream) return;
  }
};

type Trust = { readonly publicKey: string; readonly isSigned: IsSigned; readonly sha256: Digest };

const isHead = (head: LogHead | null, { publicKey, isSigned }: Trust) =>
  head === null || isSigned(publicKey, headStatement(head), String(head.signature));

/** Last seal of an organization in the log. */
export type LastLeaf = { readonly index: number } & Pick<Logged, 'count' | 'hash' | 'places'>;

/**
 * Creates a verifier that checks a volume of the seal log entry by entry. The signed head of the last entry covers all
 * entries.
 */
const createLogWalk = (volume: number, trust: Trust) => {
  const sha256 = trust.sha256 as (bytes: Uint8Array | string) => string;
  const last = new Map<string, LastLeaf>();
  let frontier: Frontier = emptyFrontier;
  let head: LogHead | null = null;
  return {
    volume,
    frontier: () => frontier,
    head: () => head,
    lastOf: (organizationId: string) => last.get(organizationId) ?? null,
    organizations: () => last.keys(),
    /** Adds the next entry; returns the reason why the entry is invalid, null for a valid entry. */
    take: (logged: Logged): string | null => {
      const { size } = frontier;
      if (logged.index !== size || logged.volume !== volume)
        return `entry ${size} of the log is missing or out of order`;
      const next = appendLeaf(frontier, leafHash(leafText(logged), sha256), sha256);
      // A log that was tampered with may have any value as head, even none.
      const stated = Object(logged.head) as LogHead;
      if (stated.size !== next.size || stated.root !== rootOf(next, sha256))
        return `entry ${size} of the log, or one before it, was altered`;
      const { organizationId, index, count, hash, places } = logged;
      last.set(organizationId, { index, count, hash, places });
      [frontier, head] = [next, stated];
      return null;
    },
    end: (): string | null =>
      isHead(head, trust) ? null : `the head of the log over ${frontier.size} seals is not signed by the trusted key`,
  };
};
export type LogWalk = ReturnType<typeof createLogWalk>;

/** Checkpoint of the log in the state store: the head signed last, and the peaks of its Merkle tree. */
export type LogCheckpoint = { readonly volume: number; readonly head: LogHead; readonly peaks: readonly string[] };

export const logCheckpointId = 'audit-log';
export const signLogCheckpoint = (checkpoint: LogCheckpoint, sign: (text: string) => string) =>
  JSON.stringify({ ...checkpoint, signature: sign(statementOf('log', checkpoint)) });

/** Loads the checkpoint of the log; null until the sealer has begun the log. */
const loadLogCheckpoint = async (state: StateStore, { publicKey, isSigned }: Omit<Trust, 'sha256'>) => {
  const entry = await state.get('processes', logCheckpointId);
  if (!entry) return { checkpoint: null, revision: noEntry };
  const { signature, ...checkpoint } = parseObject(entry.value) as LogCheckpoint & { readonly signature: string };
  if (!isSigned(publicKey, statementOf('log', checkpoint), String(signature)))
    throw new BrokenLog('the checkpoint of the log is not signed by the trusted key');
  return { checkpoint: checkpoint as LogCheckpoint, revision: entry.revision };
};
export const saveLogCheckpoint = (state: StateStore, text: string, revision: number) =>
  state.put('processes', logCheckpointId, text, revision);

/** Returns why a log without a checkpoint is invalid; null for a log that was not begun yet. */
const lostLog = (size: number, isMarked: boolean): string | null => {
  if (size > 0) return `the checkpoint of the log is missing, although the log has ${size} seals`;
  return isMarked ? 'the log and its checkpoint are missing, although the log was begun' : null;
};

/**
 * Returns how the checkpoint contradicts the entries that were read after it; null when the checkpoint and the entries
 * agree.
 */
const contradiction = (checkpoint: LogCheckpoint | null, walk: LogWalk, isMarked: boolean): string | null => {
  const { size } = walk.frontier();
  if (!checkpoint) return lostLog(size, isMarked);
  const { head } = checkpoint;
  if (head.size > size) return `the log has ${size} seals, and had ${head.size}`;
  const isOther = size > 0 && head.size === size && head.root !== walk.head()?.root;
  return isOther ? `the log of ${size} seals is not the one that was signed` : null;
};

/** Stores of the seal log. The log mark of the notary is bound to the audit key and shows that the log was begun. */
export type LogStores = {
  readonly events: Pick<EventStore, 'read'>;
  readonly state: StateStore;
  readonly notary: Pick<Notary, 'logMark'>;
};

/**
 * Reads and verifies the current volume of the log, continuing after the entries that `before` has verified, if there
 * are any. Throws BrokenLog when the log was tampered with.
 */
export const readLog = async (
  { events, state, notary }: LogStores,
  trust: Trust,
  before: LogWalk | null,
  passed: (logged: Logged) => void = () => undefined,
): Promise<{ walk: LogWalk; checkpoint: LogCheckpoint | null; revision: number }> => {
  // Order of the reads: the mark first, because it is set after the checkpoint is saved; the log last, because it may
  // grow after the checkpoint is read.
  const isMarked = await notary.logMark.isSet();
  const { checkpoint, revision } = await loadLogCheckpoint(state, trust);
  const volume = checkpoint?.volume ?? 0;
  const walk = before?.volume === volume ? before : createLogWalk(volume, trust);
  for await (const logged of logEntriesFrom(events, volume, walk.frontier().size)) {
    const flaw = walk.take(logged);
    if (flaw !== null) throw new BrokenLog(flaw);
    passed(logged);
  }
  const flaw = walk.end() ?? contradiction(checkpoint, walk, isMarked);
  if (flaw !== null) throw new BrokenLog(flaw);
  return { walk, checkpoint, revision };
};
