import { createReadStream } from 'node:fs';
import { fail } from '../../../domain/failure.js';

/** Translates an error of the file system into a failure. Other errors pass through. */
export const unusable = (path: string) => (error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
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
