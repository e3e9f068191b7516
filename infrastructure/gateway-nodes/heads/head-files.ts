import { mkdir, readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnnouncedHeads } from '../../../application/ports/node.js';

type Listener = (height: number) => void;

/** Milliseconds between two polls of the directory. */
const pollMs = 100;
/** Age in milliseconds after which a file is ignored and removed, because its process has probably ended. */
const ttlMs = 60_000;

const prefixOf = (address: string) => `${address.replaceAll('/', '_')}_`;
const ignore = () => undefined;

/**
 * Returns the height in the name of a file if the file belongs to this gateway address and chain; null for any other
 * file.
 */
const heightIn = (name: string, address: string): number | null => {
  const prefix = prefixOf(address);
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null;
};

/**
 * Creates a channel over which the processes that use one data directory share heads. Each head is an empty file with
 * the height in its name, so that no process can overwrite the head of another process. Failures are ignored: the next
 * head makes up for a lost one.
 */
export const fileAnnouncedHeads = (directory: string, intervalMs = pollMs): AnnouncedHeads => {
  const listeners = new Map<string, Listener>();
  /** Name of the newest file of this process, keyed by gateway address and chain. */
  const own = new Map<string, string>();
  const delivered = new Map<string, number>();
  let written: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;

  const isFresh = async (name: string) => {
    const path = join(directory, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs < ttlMs) return true;
    await unlink(path);
    return false;
  };
  const deliver = async (names: readonly string[], address: string, listener: Listener) => {
    const heights = names.map((name) => heightIn(name, address) ?? -1);
    const highest = Math.max(-1, ...heights);
    if (highest < 0 || highest === delivered.get(address)) return;
    const name = names[heights.indexOf(highest)] as string;
    if (!(await isFresh(name).catch(() => false))) return;
    delivered.set(address, highest);
    listener(highest);
  };
  const files = () => readdir(directory).catch((): string[] => []);
  const poll = async () => {
    if (isPolling) return;
    isPolling = true;
    const names = await files();
    for (const [address, listener] of listeners) await deliver(names, address, listener);
    isPolling = false;
  };
  const write = async (address: string, height: number) => {
    const [name, before] = [`${prefixOf(address)}${height}`, own.get(address)];
    own.set(address, name);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(join(directory, name), '', { mode: 0o600 });
    if (before && before !== name) await unlink(join(directory, before));
  };

  return {
    announce: (address, height) => {
      written = written.then(() => write(address, height)).catch(ignore);
    },
    listen: async (address, listener) => {
      listeners.set(address, listener);
      // Removes outdated files, which processes that were killed have left behind.
      for (const name of await files()) await isFresh(name).catch(ignore);
      timer ??= setInterval(() => void poll().catch(ignore), intervalMs).unref();
      await poll();
    },
    close: async () => {
      clearInterval(timer);
      listeners.clear();
      await written;
    },
  };
};
