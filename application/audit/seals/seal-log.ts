import {
  headStatement,
  type LogHead,
  type LogLeaf,
  leafText,
  sealLog,
} from '../../../domain/aggregates/audit/seal-log.js';
import { appendLeaf, emptyFrontier, type Frontier, leafHash, rootOf } from '../../../domain/merkle.js';
import { createMutex } from '../../async/mutex.js';
import { globalContext, type Handle, step } from '../../commands/handle.js';
import type { EventStore } from '../../ports/event-store.js';
import type { Notary } from '../../ports/notary.js';
import { noEntry, type StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import type { Deployment } from '../../processes/heartbeats.js';
import type { Measure } from '../../processes/measurements.js';
import {
  BrokenLog,
  type LastLeaf,
  type LogWalk,
  logEntriesFrom,
  logOwner,
  logStream,
  readLog,
  saveLogCheckpoint,
  signLogCheckpoint,
} from '../log-reading.js';

/**
 * Log of the seals of all organizations: a Merkle tree (RFC 9162) whose head is signed each time a leaf is appended.
 */
export type SealLog = {
  /** Returns the newest signed head; null while nothing is logged. */
  head(): Promise<LogHead | null>;
  /** Yields the leaves with indexes from `from` (inclusive) to `to` (exclusive). The first leaf has index 0. */
  leaves(from: number, to: number): AsyncIterable<LogLeaf>;
  /**
   * Appends a leaf and returns its index. A leaf that already exists at index `since` or later was appended by an
   * interrupted attempt and is not appended again.
   */
  append(leaf: LogLeaf, since: number): Promise<number>;
  /**
   * Reads the entries appended since the last call and returns the state of the log; throws BrokenLog if the log was
   * tampered with.
   */
  refresh(): Promise<LogState>;
  /** Writes the signed checkpoint of an empty log, unless the log has a checkpoint, and marks the log as begun. */
  begin(): Promise<void>;
  /** Begins a new volume; returns false when the checkpoint of the log is not at revision `expected`. */
  beginVolume(volume: number, expected: number): Promise<boolean>;
};
export type LogState = {
  readonly isBegun: boolean;
  readonly volume: number;
  readonly size: number;
  lastOf(organizationId: string): LastLeaf | null;
};

export type SealerPorts = {
  /** Event store without upcasting. Seals hash events in the shape in which they were stored. */
  readonly events: EventStore;
  readonly state: StateStore;
  readonly handle: Handle;
  readonly notary: Notary;
  readonly measure?: Measure;
  readonly system: System;
  /**
   * Operating system process that runs the sealer. Absent if processes without a heartbeat may append events: their
   * events may lack message authentication codes, so codes cannot be required.
   */
  readonly deployment?: Pick<Deployment, 'version'>;
};

const sealer = { kind: 'process', id: 'history sealer' } as const;

const signedHead = ({ notary, system }: SealerPorts, frontier: Frontier): LogHead => {
  const time = new Date(system.now()).toISOString();
  const stated = { size: frontier.size, root: rootOf(frontier, system.sha256), time };
  return { ...stated, keyId: notary.keyId, signature: notary.sign(headStatement(stated)) };
};

/** Returns the index of a leaf at `since` or later; null when the log does not have it. */
const indexOf = async (events: EventStore, leaf: LogLeaf, volume: number, since: number) => {
  for await (const logged of logEntriesFrom(events, volume, since))
    if (leafText(logged) === leafText(leaf)) return logged.index;
  return null;
};

export const createSealLog = (ports: SealerPorts): SealLog => {
  const { events, state, handle, notary, system } = ports;
  const { sha256 } = system;
  const trust = { publicKey: notary.publicKey, isSigned: notary.isSigned, sha256 };
  const alone = createMutex();
  let walk: LogWalk | null = null;

  const read = async () => {
    try {
      const found = await readLog({ events, state, notary }, trust, walk);
      walk = found.walk;
      return found;
    } catch (error) {
      // A broken log is read from its beginning the next time.
      walk = null;
      throw error;
    }
  };
  const saveCheckpoint = async (volume: number, frontier: Frontier, head: LogHead, revision: number) =>
    saveLogCheckpoint(state, signLogCheckpoint({ volume, head, peaks: frontier.peaks }, notary.sign), revision);
  const saveEmptyCheckpoint = (volume: number, revision: number) =>
    saveCheckpoint(volume, emptyFrontier, signedHead(ports, emptyFrontier), revision);

  /**
   * Appends the leaf unless the log already has it; returns null when another writer appended first. The log is
   * searched for the leaf only after the size is read, because another sealer may append the same leaf at any moment.
   */
  const tryAppend = async (leaf: LogLeaf, since: number): Promise<number | null> => {
    const { volume, frontier } = (await read()).walk;
    const { size: index } = frontier();
    const found = await indexOf(events, leaf, volume, since);
    if (found !== null) return found;
    const head = signedHead(ports, appendLeaf(frontier(), leafHash(leafText(leaf), sha256), sha256));
    const data = { ...leaf, volume, index, head };
    await handle(globalContext({ actor: sealer, requestId: system.uuid() }, logOwner), [
      { ...step(sealLog, logOwner, '', { type: 'Log', data }), stream: logStream(volume, index) },
    ]);
    const { walk: after, revision } = await read();
    if (after.frontier().size <= index) throw new BrokenLog('the log was truncated while the service was running');
    const newest = after.head();
    if (newest) await saveCheckpoint(volume, after.frontier(), newest, revision);
    return (await indexOf(events, leaf, volume, index)) === index ? index : null;
  };

  return {
    head: () => alone(async () => (await read()).walk.head()),
    leaves: async function* (from, to) {
      if (from >= to) return;
      const { volume } = await alone(async () => (await read()).walk);
      for await (const entry of logEntriesFrom(events, volume, from)) {
        if (entry.index >= to) return;
        const { organizationId, count, hash, places, position } = entry;
        yield { organizationId, count, hash, places, position };
      }
    },
    append: (leaf, since) =>
      alone(async () => {
        let index: number | null = null;
        while (index === null) index = await tryAppend(leaf, since);
        return index;
      }),
    refresh: () =>
      alone(async () => {
        const { walk: now, checkpoint } = await read();
        return { isBegun: checkpoint !== null, volume: now.volume, size: now.frontier().size, lastOf: now.lastOf };
      }),
    begin: () =>
      alone(async () => {
        const { checkpoint } = await read();
        if (!checkpoint) await saveEmptyCheckpoint(0, noEntry);
        await notary.logMark.set();
      }),
    beginVolume: (volume, expected) => alone(() => saveEmptyCheckpoint(volume, expected)),
  };
};
