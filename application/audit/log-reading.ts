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
import type { IsSigned } from '../ports/notary.js';
import { noEntry, type StateStore } from '../ports/state.js';
import { objectIn } from './seal-progress.js';

/** Organization whose streams hold the log. */
export const logOwner = 'system';

/** Thrown when the log of seals is not the one that was written: nothing can be sealed before its loss is accepted. */
export class BrokenLog extends Error {
  override readonly name = 'BrokenLog';
}

export const logStream = (volume: number, index: number) => streamName(logOwner, sealLog.stream, logKey(volume, index));

/** Yields the entries of a volume from a place on, as they are stored. */
export const loggedFrom = async function* (
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

/** Checks a volume entry by entry; the head that was read last is signed over all of them. */
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
    /** Returns what is wrong with the entry, null when it stands in its place. */
    take: (logged: Logged): string | null => {
      const { size } = frontier;
      if (logged.index !== size || logged.volume !== volume) return `seal ${size} of the log is not in its place`;
      const next = appendLeaf(frontier, leafHash(leafText(logged), sha256), sha256);
      // A log that was tampered with may hold any value here.
      const stated = Object(logged.head) as LogHead;
      if (stated.size !== next.size || stated.root !== rootOf(next, sha256))
        return `seal ${size} of the log, or one before it, is not what it was when it was logged`;
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

/** Memory of the log outside the events: the head that was signed last, and the peaks of its tree. */
export type LogMemory = { readonly volume: number; readonly head: LogHead; readonly peaks: readonly string[] };

export const logMemoryId = 'audit-log';
export const signedLogMemory = (memory: LogMemory, sign: (text: string) => string) =>
  JSON.stringify({ ...memory, signature: sign(statementOf('log', memory)) });

/** Loads the memory of the log; null while no log was begun. */
const loadLogMemory = async (state: StateStore, { publicKey, isSigned }: Omit<Trust, 'sha256'>) => {
  const entry = await state.get('processes', logMemoryId);
  if (!entry) return { memory: null, revision: noEntry };
  const { signature, ...memory } = objectIn(entry.value) as LogMemory & { readonly signature: string };
  if (!isSigned(publicKey, statementOf('log', memory), String(signature)))
    throw new BrokenLog('the memory of the log is not signed by the trusted key');
  return { memory: memory as LogMemory, revision: entry.revision };
};
export const saveLogMemory = (state: StateStore, text: string, revision: number) =>
  state.put('processes', logMemoryId, text, revision);

/** Returns how the memory of the log contradicts the entries that were read after it; null where it does not. */
const contradiction = (memory: LogMemory | null, walk: LogWalk): string | null => {
  const { size } = walk.frontier();
  if (!memory) return size > 0 ? `the memory of the log is absent, although it has ${size} seals` : null;
  const { head } = memory;
  if (head.size > size) return `the log has ${size} seals, and had ${head.size}`;
  const isOther = size > 0 && head.size === size && head.root !== walk.head()?.root;
  return isOther ? `the log of ${size} seals is not the one that was signed` : null;
};

/** Reads on in the log, from where the walk is; throws when the log is not the one that was written. */
export const readOn = async (
  { events, state }: { readonly events: Pick<EventStore, 'read'>; readonly state: StateStore },
  trust: Trust,
  before: LogWalk | null,
  passed: (logged: Logged) => void = () => undefined,
): Promise<{ walk: LogWalk; memory: LogMemory | null; revision: number }> => {
  // The memory is read first, because the log may grow meanwhile.
  const { memory, revision } = await loadLogMemory(state, trust);
  const volume = memory?.volume ?? 0;
  const walk = before?.volume === volume ? before : createLogWalk(volume, trust);
  for await (const logged of loggedFrom(events, volume, walk.frontier().size)) {
    const flaw = walk.take(logged);
    if (flaw !== null) throw new BrokenLog(flaw);
    passed(logged);
  }
  const flaw = walk.end() ?? contradiction(memory, walk);
  if (flaw !== null) throw new BrokenLog(flaw);
  return { walk, memory, revision };
};
