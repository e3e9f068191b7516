import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure, fail } from '../../../domain/failure.js';

/** Returns a function that converts an error of the file system to a Failure and rethrows any other error. */
export const unusable = (path: string) => (error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || code === undefined) throw error;
  return fail('FAILED_PRECONDITION', `Cannot access ${path}: ${message}`);
};

/** Splits a file at line feeds only, because texts may contain U+2028, which line readers treat as a line end. */
export const linesOf = async function* (path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of createReadStream(path, 'utf8')) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
};

const ownerOnly = 0o600;

const failExisting = (path: string) =>
  fail('FAILED_PRECONDITION', `${path} exists already. Choose another file, or remove it.`);

/**
 * Gives a complete draft its final name by a hard link, which never replaces an existing file. On a file system without
 * hard links, the draft is renamed.
 */
const publish = (draft: string, path: string) =>
  link(draft, path).catch((error: NodeJS.ErrnoException) =>
    error.code === 'EEXIST' || existsSync(path) ? failExisting(path) : rename(draft, path),
  );

/**
 * Writes a file that only its owner can read. Never replaces an existing file. The file appears only after it is
 * complete; if writing fails, no part of it remains.
 */
export const writeNewFile = async (path: string, pieces: AsyncIterable<string | Uint8Array>) => {
  if (existsSync(path)) failExisting(path);
  const draft = `${path}.${process.pid}.part`;
  const file = createWriteStream(draft, { flags: 'wx', mode: ownerOnly, flush: true });
  try {
    await pipeline(Readable.from(pieces), file).catch(unusable(path));
    await publish(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
};
