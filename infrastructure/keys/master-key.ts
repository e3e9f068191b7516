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
import type { Config } from '../config.js';
import { BadSetting } from '../settings/bad-setting.js';

type MasterKey = { readonly id: string; readonly bytes: Uint8Array };

/** Master keys that data keys may be wrapped with. */
export type KeyRing = {
  /** Returns the key that new data keys are wrapped with. */
  current(): MasterKey;
  find(id: string): MasterKey | undefined;
  /** Discards all keys but the current one. Callers must first rewrap every data key with the current key. */
  retireOthers(): void;
};

/** Derives an id from the key's hash, which reveals nothing about the key. */
const withId = (bytes: Uint8Array): MasterKey => ({
  id: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
  bytes,
});

const read = (path: string) => {
  const bytes = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  if (bytes.length !== 32) throw new BadSetting(`${path} is not a valid master key: expected 64 hex digits`);
  return withId(new Uint8Array(bytes));
};

const isCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

const write = (path: string, key: Uint8Array) =>
  writeFileSync(path, `${Buffer.from(key).toString('hex')}\n`, { mode: 0o600, flush: true });

/** Syncs the directory, because otherwise a new file may be missing after a power failure. */
const syncDirectory = (directory: string) => {
  const opened = openSync(directory, 'r');
  fsyncSync(opened);
  closeSync(opened);
};

const createKeyFile = (directory: string, path: string) => {
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
  syncDirectory(directory);
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
  /** Key that is being replaced. The file exists only while a rotation is unfinished. */
  previous: join(directory, 'master.key.previous'),
});

/**
 * Reads the master key in the data directory. Creates the key at the first start, before any store; if two processes
 * start together, only one creates it. The files are read again for an unknown key id, so that a running service
 * survives a rotation.
 */
export const keyRingIn = (directory: string): KeyRing => {
  const { path, previous } = files(directory);
  const current = () => orBadSetting(directory, () => read(path));
  const all = () => [current(), ...(existsSync(previous) ? [orBadSetting(directory, () => read(previous))] : [])];
  orBadSetting(directory, () => {
    if (existsSync(path)) return;
    // Existing stores need the key that they were written with: a new key could decrypt nothing, and would take the
    // place of the lost key that must be put back.
    if (['state.db', 'events.db'].some((name) => existsSync(join(directory, name))))
      throw new BadSetting(
        `CHAINFOLD_DATA_DIR: ${path} is missing, and the stored secrets cannot be decrypted without it. Put it back, or set CHAINFOLD_MASTER_KEY to the key`,
      );
    createKeyFile(directory, path);
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

/**
 * Returns the configured master keys, or the master keys in the data directory; null if there are none. Creates no key.
 */
export const findKeyRing = ({
  masterKey,
  previousMasterKey,
  dataDirectory,
}: Pick<Config, 'masterKey' | 'previousMasterKey' | 'dataDirectory'>): KeyRing | null => {
  if (masterKey) return givenKeyRing(masterKey, previousMasterKey);
  return existsSync(files(dataDirectory).path) ? keyRingIn(dataDirectory) : null;
};

/**
 * Creates a new key and keeps the old key in `master.key.previous`. Does nothing if an earlier rotation is unfinished.
 */
export const renewKeyIn = (directory: string) => {
  const { path, previous } = files(directory);
  orBadSetting(directory, () => {
    if (!existsSync(path)) return;
    if (existsSync(previous) && read(previous).id !== read(path).id) return;
    const draft = `${path}.${process.pid}`;
    write(draft, randomBytes(32));
    if (!existsSync(previous)) linkSync(path, previous);
    renameSync(draft, path);
    syncDirectory(directory);
  });
};

/** Builds the ring from the keys in the environment. The previous key still unwraps older data keys. */
export const givenKeyRing = (bytes: Uint8Array, previous: Uint8Array | undefined): KeyRing => {
  const current = withId(bytes);
  const all = [current, ...(previous ? [withId(previous)] : [])];
  return { current: () => current, find: (id) => all.find((key) => key.id === id), retireOthers: () => undefined };
};
