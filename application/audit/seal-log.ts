import {
  headStatement,
  type LogHead,
  type LogLeaf,
  leafText,
  sealLog,
} from '../../domain/aggregates/audit/seal-log.js';
import { appendLeaf, emptyFrontier, type Frontier, leafHash, rootOf } from '../../domain/merkle.js';
import { createMutex } from '../async/mutex.js';
import { globalContext, type Handle, step } from '../commands/handle.js';
import type { EventStore } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import {
  BrokenLog,
  type LastLeaf,
  type LogWalk,
  loggedFrom,
  logOwner,
  logStream,
  readOn,
  saveLogMemory,
  signedLogMemory,
} from './log-reading.js';

/** Log of the seals of all organizations: a Merkle tree (RFC 9162) whose head is signed with every leaf. */
export type SealLog = {
  /** Returns the newest signed head; null while nothing is logged. */
  head(): Promise<LogHead | null>;
  /** Yields leaves in order, from the first number to before the second, counted from 0. */
  leaves(from: number, to: number): AsyncIterable<LogLeaf>;
  /**
   * Appends a leaf and returns its place. A leaf that is found in place `since` or later was appended before, by a turn
   * that was interrupted.
   */
  append(leaf: LogLeaf, since: number): Promise<number>;
  /** Reads what was appended since the last call, and returns where the log is; throws BrokenLog. */
  refresh(): Promise<LogState>;
  /** Signs the memory of an empty log, unless there is one. */
  begin(): Promise<void>;
  /** Begins a new volume, unless the memory of the log is at another revision. */
  beginVolume(volume: number, expected: number): Promise<boolean>;
};
export type LogState = {
  readonly isBegun: boolean;
  readonly volume: number;
  readonly size: number;
  lastOf(organizationId: string): LastLeaf | null;
};

export type SealerPorts = {
  /** Events as they are stored. */
  readonly events: EventStore;
  readonly state: StateStore;
  readonly handle: Handle;
  readonly notary: Notary;
  readonly system: System;
};

const sealer = { kind: 'process', id: 'history sealer' } as const;

const signedHead = ({ notary, system }: SealerPorts, frontier: Frontier): LogHead => {
  const time = new Date(system.now()).toISOString();
  const stated = { size: frontier.size, root: rootOf(frontier, system.sha256), time };
  return { ...stated, keyId: notary.keyId, signature: notary.sign(headStatement(stated)) };
};

/** Finds the place of a leaf among those from `since` on. */
const placeOf = async (events: EventStore, leaf: LogLeaf, volume: number, since: number) => {
  for await (const logged of loggedFrom(events, volume, since))
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
      const found = await readOn({ events, state }, trust, walk);
      walk = found.walk;
      return found;
    } catch (error) {
      // A log that is not what it was is read from its beginning the next time.
      walk = null;
      throw error;
    }
  };
  const remember = async (volume: number, frontier: Frontier, head: LogHead, revision: number) =>
    saveLogMemory(state, signedLogMemory({ volume, head, peaks: frontier.peaks }, notary.sign), revision);
  const rememberEmpty = (volume: number, revision: number) =>
    remember(volume, emptyFrontier, signedHead(ports, emptyFrontier), revision);

  /**
   * Appends the leaf at the end, unless it is in the log; returns null when another writer was first. The leaf is looked
   * for after the end is known, because another sealer may append the same one at any moment.
   */
  const tryAppend = async (leaf: LogLeaf, since: number): Promise<number | null> => {
    const { volume, frontier } = (await read()).walk;
    const { size: index } = frontier();
    const found = await placeOf(events, leaf, volume, since);
    if (found !== null) return found;
    const head = signedHead(ports, appendLeaf(frontier(), leafHash(leafText(leaf), sha256), sha256));
    const data = { ...leaf, volume, index, head };
    await handle(globalContext({ actor: sealer, requestId: system.uuid() }, logOwner), [
      { ...step(sealLog, logOwner, '', { type: 'Log', data }), stream: logStream(volume, index) },
    ]);
    const { walk: after, revision } = await read();
    if (after.frontier().size <= index) throw new BrokenLog('the log was cut while the service ran');
    const newest = after.head();
    if (newest) await remember(volume, after.frontier(), newest, revision);
    return (await placeOf(events, leaf, volume, index)) === index ? index : null;
  };

  return {
    head: () => alone(async () => (await read()).walk.head()),
    leaves: async function* (from, to) {
      if (from >= to) return;
      const { volume } = await alone(async () => (await read()).walk);
      for await (const { organizationId, count, hash, places, position, index } of loggedFrom(events, volume, from)) {
        if (index >= to) return;
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
        const { walk: now, memory } = await read();
        return { isBegun: memory !== null, volume: now.volume, size: now.frontier().size, lastOf: now.lastOf };
      }),
    begin: () =>
      alone(async () => {
        const { memory } = await read();
        if (!memory) await rememberEmpty(0, noEntry);
      }),
    beginVolume: (volume, expected) => alone(() => rememberEmpty(volume, expected)),
  };
};
