import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BadSetting } from './config.js';

const read = (path: string) => {
  const bytes = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  if (bytes.length !== 32) throw new BadSetting(`${path} does not hold a master key of 64 hex digits`);
  return new Uint8Array(bytes);
};

const isCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

const make = (directory: string, path: string) => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
};

/** The key in the data directory, made at the first start; of two processes that start at once, one makes it. */
export const masterKeyIn = (directory: string): Uint8Array => {
  const path = join(directory, 'master.key');
  try {
    if (!existsSync(path)) make(directory, path);
    return read(path);
  } catch (error) {
    if (error instanceof BadSetting) throw error;
    throw new BadSetting(`CHAINFOLD_DATA_DIR: ${directory} cannot be used: ${(error as Error).message}`);
  }
};
