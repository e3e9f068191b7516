import type { ServerResponse } from 'node:http';
import { createFairTurns } from '../../application/async/turns/fair-turns.js';
import type { LoopTurns } from '../../application/async/turns/loop-turns.js';

/** Maximum number of streamed responses per organization that are written at the same time. */
export const largeAtOnce = 4;
/** Number of characters that are collected before they are written to the response at once. */
const writtenAtOnce = 16_384;
/** Time after which a client that reads nothing of its response is disconnected. */
export const stallTimeoutMs = 30_000;

const isParts = (value: unknown): value is AsyncIterable<readonly unknown[]> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/**
 * Returns true if an answer contains a list that was not read from the stores yet. Assumes that an array which starts
 * with a string or a number contains no such list.
 */
export const isUnread = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (isParts(value)) return true;
  if (Array.isArray(value)) return typeof value[0] === 'object' && value.some(isUnread);
  for (const name in value) if (isUnread(value[name as keyof typeof value])) return true;
  return false;
};

/** Returns an answer with all its unread lists read into arrays. */
export const readWhole = async (value: unknown): Promise<unknown> => {
  if (!isUnread(value)) return value;
  if (isParts(value)) {
    const items: unknown[] = [];
    for await (const part of value) for (const item of part) items.push(await readWhole(item));
    return items;
  }
  if (Array.isArray(value)) return Promise.all(value.map(readWhole));
  const members = Object.entries(value as object).map(async ([name, member]) => [name, await readWhole(member)]);
  return Object.fromEntries(await Promise.all(members));
};

/**
 * Yields an answer as JSON in pieces. A list in the answer is read from the stores in parts, each part only when the
 * piece that contains it is requested.
 */
export const jsonPieces = async function* (value: unknown): AsyncGenerator<string> {
  if (!isUnread(value)) yield JSON.stringify(value);
  else if (isParts(value) || Array.isArray(value)) {
    yield '[';
    yield* isParts(value) ? partPieces(value) : listPieces(value);
    yield ']';
  } else {
    yield '{';
    yield* memberPieces(value as object);
    yield '}';
  }
};
const partPieces = async function* (parts: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const part of parts) {
    if (part.length === 0) continue;
    if (!isFirst) yield ',';
    isFirst = false;
    yield* listPieces(part);
  }
};
const listPieces = async function* (items: readonly unknown[]): AsyncGenerator<string> {
  if (!isUnread(items)) return yield JSON.stringify(items).slice(1, -1);
  for (const [i, item] of items.entries()) {
    if (i > 0) yield ',';
    yield* jsonPieces(item);
  }
};
const memberPieces = async function* (value: object): AsyncGenerator<string> {
  let before = '';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonPieces(member);
    before = ',';
  }
};

/** Waits until the write buffer is drained or the client disconnects. */
export const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
    if (response.destroyed) done();
  });

/**
 * Creates a function that streams large answers, which are read from the stores while they are written. At most
 * `largeAtOnce` answers of an organization are in progress. Organizations take turns to read the next part of a list,
 * and a part is read only when the client has read enough of the parts before it.
 */
export const createLargeAnswers = (turns: LoopTurns) => {
  const inTurn = createFairTurns({
    maxConcurrent: Number.POSITIVE_INFINITY,
    maxConcurrentPerKey: largeAtOnce,
    maxWaiting: 1000,
  });

  const readSome = async (pieces: AsyncGenerator<string>) => {
    let text = '';
    while (text.length < writtenAtOnce) {
      const piece = await pieces.next();
      if (piece.done) return { text, isLast: true };
      text += piece.value;
    }
    return { text, isLast: false };
  };
  const write = async (organizationId: string, response: ServerResponse, pieces: AsyncGenerator<string>) => {
    while (!response.destroyed) {
      const { text, isLast } = await turns(organizationId, () => readSome(pieces));
      if (isLast) return void response.end(text);
      if (!response.write(text)) await drained(response);
    }
  };

  /** Writes one answer. `begin` sends the headers and is called before any part is read. */
  return (
    organizationId: string,
    response: ServerResponse,
    begin: () => void,
    pieces: AsyncGenerator<string>,
  ): Promise<void> =>
    inTurn(organizationId, async () => {
      if (response.destroyed) return;
      begin();
      response.setTimeout(stallTimeoutMs, () => response.destroy());
      try {
        await write(organizationId, response, pieces);
      } finally {
        await pieces.return(undefined);
      }
    });
};
