import type { IncomingMessage } from 'node:http';
import { fail } from '../../domain/failure.js';
import { afterString, closeList, closeObject, colon, openList, openObject, quote } from '../../domain/json-bytes.js';
import { HttpFailure } from './problems.js';

export const maxDepth = 32;
export const maxContainers = 5000;
export const maxKeys = 1000;
export const maxNumberLength = 100;

const [zero, nine] = [0x30, 0x39];

const tooLarge = (limit: number) => new HttpFailure(413, `the body is larger than ${limit} bytes`);
const announced = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? -1);

/** Refuses a body whose headers say that it is too large. */
export const checkLength = (request: IncomingMessage, limit: number) => {
  if (announced(request) > limit) throw tooLarge(limit);
};

/** Collects the body and calls `done` in the turn its last byte arrives; fails once it is known to be too large. */
export const takeBody = (
  request: IncomingMessage,
  limit: number,
  done: (body: Buffer) => void,
  failed: (fault: HttpFailure) => void,
) => {
  const expected = announced(request);
  if (expected > limit) return failed(tooLarge(limit));
  const chunks: Buffer[] = [];
  let length = 0;
  let isOver = false;
  const reject = (fault: HttpFailure) => {
    if (isOver) return;
    isOver = true;
    failed(fault);
  };
  const finish = () => {
    if (isOver) return;
    isOver = true;
    done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  };
  // A small body is complete with its first chunk, one turn before "end" is emitted.
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > limit) {
      request.pause();
      return reject(tooLarge(limit));
    }
    chunks.push(chunk);
    if (length === expected && request.complete) finish();
  });
  request.on('end', finish);
  // "close" also follows an error, which goes unnoticed when "error" has no listener.
  request.on('close', () => {
    if (!request.complete) reject(new HttpFailure(400, 'the body ended early'));
  });
};

export const readBody = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => takeBody(request, limit, resolve, reject));

const drainedBytes = 16_777_216;
const drainedMs = 5000;

/** Reads the rest of a refused body, within bounds: a client that is cut off while it sends never reads the answer. */
export const drain = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    let length = 0;
    const timer = setTimeout(resolve, drainedMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.removeAllListeners('data');
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > drainedBytes) done();
    });
    request.once('end', done).once('close', done);
    request.resume();
    if (request.complete || request.destroyed) done();
  });

type Tally = { depth: number; containers: number; keys: number; digits: number };

const count = (tally: Tally, byte: number) => {
  tally.digits = byte >= zero && byte <= nine ? tally.digits + 1 : 0;
  if (byte === colon) tally.keys++;
  else if (byte === openObject || byte === openList) {
    tally.depth++;
    tally.containers++;
  } else if (byte === closeObject || byte === closeList) tally.depth--;
};

const isTooMuch = ({ depth, containers, keys, digits }: Tally) =>
  depth > maxDepth || containers > maxContainers || keys > maxKeys || digits > maxNumberLength;

const tooMuch = `the body may be nested ${maxDepth} deep, with ${maxContainers} objects and lists, ${maxKeys} keys and ${maxNumberLength} digits a number`;

/** Counts the keys in the text, and refuses shapes that would cost more to parse than any real request. */
const survey = (body: Buffer) => {
  const tally = { depth: 0, containers: 0, keys: 0, digits: 0 };
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === quote) at = afterString(body, at) - 1;
    count(tally, byte);
    if (isTooMuch(tally)) return fail('INVALID_ARGUMENT', tooMuch);
  }
  return tally.keys;
};

const countKeys = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce<number>((sum, one) => sum + countKeys(one), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decode = (body: Buffer) => {
  try {
    return JSON.parse(utf8.decode(body)) as unknown;
  } catch {
    return fail('INVALID_ARGUMENT', 'the body is not JSON in UTF-8');
  }
};

/** Parses JSON, but refuses a key that is given twice, since sender and receiver might read different ones. */
export const parseJson = (body: Buffer): unknown => {
  if (body.length === 0) return {};
  const keys = survey(body);
  const value = decode(body);
  if (countKeys(value) !== keys) return fail('INVALID_ARGUMENT', 'the body names a key twice');
  return value;
};
