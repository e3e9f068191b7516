import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BadSetting } from './config.js';

type MasterKey = { readonly id: string; readonly bytes: Uint8Array };

/** Master keys that data keys may be wrapped under. */
export type KeyRing = {
  /** Returns the key that new data keys are wrapped under. */
  current(): MasterKey;
  find(id: string): MasterKey | undefined;
  /** Discards every other key; no data key may be wrapped under them any more. */
  retireOthers(): void;
};

/** Derives an id from the key's hash, which reveals nothing about the key. */
const named = (bytes: Uint8Array): MasterKey => ({
  id: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
  bytes,
});

const read = (path: string) => {
  const bytes = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  if (bytes.length !== 32) throw new BadSetting(`${path} does not hold a master key of 64 hex digits`);
  return named(new Uint8Array(bytes));
};

const isCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

const write = (path: string, key: Uint8Array) =>
  writeFileSync(path, `${Buffer.from(key).toString('hex')}\n`, { mode: 0o600, flush: true });

/** Syncs the directory: without that, a new file may be missing after a power cut. */
const keep = (directory: string) => {
  const opened = openSync(directory, 'r');
  fsyncSync(opened);
  closeSync(opened);
};

const make = (directory: string, path: string) => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  write(draft, randomBytes(32));
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
  keep(directory);
};

const orBadSetting = <T>(directory: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof BadSetting) throw error;
    throw new BadSetting(`CHAINFOLD_DATA_DIR: ${directory} cannot be used: ${(error as Error).message}`);
  }
};

const files = (directory: string) => ({
  path: join(directory, 'master.key'),
  /** Old key; the file exists while a change of the key is unfinished. */
  previous: join(directory, 'master.key.previous'),
});

/**
 * Reads the key in the data directory and makes it at the first start, before any store; of two processes that start at once, one makes
 * it. Keys are read again when an unknown id turns up, so that a running service survives a change of the key.
 */
export const keyRingIn = (directory: string): KeyRing => {
  const { path, previous } = files(directory);
  const current = () => orBadSetting(directory, () => read(path));
  const all = () => [current(), ...(existsSync(previous) ? [orBadSetting(directory, () => read(previous))] : [])];
  orBadSetting(directory, () => {
    if (existsSync(path)) return;
    // A new key would open nothing, and would stand where the lost one has to be put back.
    if (existsSync(join(directory, 'state.db')))
      throw new BadSetting(
        `${path} is missing, and what is stored beside it can be opened with nothing else: restore it`,
      );
    make(directory, path);
  });
  let known = all();
  const among = (id: string) => known.find((key) => key.id === id);
  return {
    current,
    find: (id) => {
      const found = among(id);
      if (found) return found;
      known = all();
      return among(id);
    },
    retireOthers: () => rmSync(previous, { force: true }),
  };
};

/** Puts a new key beside the old one; a change that was begun earlier is left as it is, to be finished. */
export const renewKeyIn = (directory: string) => {
  const { path, previous } = files(directory);
  orBadSetting(directory, () => {
    if (!existsSync(path)) return;
    if (existsSync(previous) && read(previous).id !== read(path).id) return;
    const draft = `${path}.${process.pid}`;
    write(draft, randomBytes(32));
    if (!existsSync(previous)) linkSync(path, previous);
    renameSync(draft, path);
    keep(directory);
  });
};

/** Builds the ring from the environment's keys; data keys wrapped under the previous one can still be opened. */
export const givenKeyRing = (bytes: Uint8Array, previous: Uint8Array | undefined): KeyRing => {
  const current = named(bytes);
  const all = [current, ...(previous ? [named(previous)] : [])];
  return { current: () => current, find: (id) => all.find((key) => key.id === id), retireOthers: () => undefined };
};
