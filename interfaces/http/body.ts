import type { IncomingMessage } from 'node:http';
import { fail } from '../../domain/failure.js';
import { afterString, closeList, closeObject, colon, openList, openObject, quote } from '../../domain/json-bytes.js';
import { HttpFailure } from './problems.js';

export const maxDepth = 32;
export const maxContainers = 5000;
export const maxKeys = 1000;
export const maxNumberLength = 100;

const [zero, nine] = [0x30, 0x39];

const tooLarge = (limit: number) => new HttpFailure(413, `The body is larger than ${limit} bytes`);
const contentLength = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? -1);

/** Rejects a request whose `content-length` exceeds the limit. */
export const checkLength = (request: IncomingMessage, limit: number) => {
  if (contentLength(request) > limit) throw tooLarge(limit);
};

/**
 * Reads the body and calls `done` in the event-loop turn in which its last byte arrives. Fails as soon as the body
 * exceeds `limit` bytes.
 */
export const takeBody = (
  request: IncomingMessage,
  limit: number,
  done: (body: Buffer) => void,
  failed: (fault: HttpFailure) => void,
) => {
  const expected = contentLength(request);
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
  // Finishes with the chunk that completes the body, because "end" is emitted one event-loop turn later.
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
  // Needs no listener for "error", because "close" is emitted after an error too.
  request.on('close', () => {
    if (!request.complete) reject(new HttpFailure(400, 'The connection closed before the whole body was received'));
  });
};

export const readBody = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => takeBody(request, limit, resolve, reject));

const maxDrainBytes = 16_777_216;
const drainTimeoutMs = 5000;

/**
 * Reads and discards the rest of a rejected body, up to a size and a time limit, because a client whose connection is
 * closed while it sends never reads the response.
 */
export const drain = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    let length = 0;
    const timer = setTimeout(resolve, drainTimeoutMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.removeAllListeners('data');
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxDrainBytes) done();
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

const tooMuch = `The body is too complex. At most ${maxDepth} levels of nesting, ${maxContainers} objects and lists, ${maxKeys} keys and ${maxNumberLength} digits per number are allowed.`;

/** Returns the number of keys in the text. Rejects bodies that would be too costly to parse. */
const checkShape = (body: Buffer) => {
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
    return fail('INVALID_ARGUMENT', 'The body is not valid JSON in UTF-8');
  }
};

/** Parses JSON. Rejects duplicate keys, because sender and receiver might read different values. */
export const parseJson = (body: Buffer): unknown => {
  if (body.length === 0) return {};
  const keys = checkShape(body);
  const value = decode(body);
  if (countKeys(value) !== keys) return fail('INVALID_ARGUMENT', 'An object in the body has a duplicate key');
  return value;
};
