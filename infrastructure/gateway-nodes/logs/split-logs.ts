import { type Cancellation, createCancellation } from '../../../application/async/cancellation.js';
import { type Cacheability, cacheabilityOf } from '../../../application/gateway/cacheability.js';
import { NodeTimeout, type RpcAnswer, type RpcCall } from '../../../application/ports/node.js';
import { isQuantity } from '../../../domain/rpc-value.js';
import { faultOf, readError } from '../../nodes/json-rpc/rpc-fault.js';
import type { Fetch } from '../fetch.js';
import { createOneBranch, joinedSource, type PieceSource, type Pieces, unknownNode } from './one-branch.js';
import { callFor, type LogRange, type MovingTag, rangeOf, splitAt, splitBy, widthOf } from './range.js';
import { createWidths, isAboutWidth } from './widths.js';

type Sources = {
  /** Returns the height of the newest block. */
  head(): Promise<number>;
  /** Returns the height up to which blocks are final. */
  finalHeight(): number;
  readonly nodeCount: number;
};

/** Fields of a block, as a node returned them without validation. */
type Block = { readonly hash?: unknown; readonly number?: unknown };

type Bounds = { readonly maxPieces: number; readonly maxBytes: number; readonly deadlineMs: number };

/** Number of pieces that are requested concurrently when it is known how many blocks the nodes accept in one call. */
const atOnce = 4;

/** Error that ends the reading of all pieces. Contains the JSON-RPC error for the caller. */
class PieceError extends Error {
  override readonly name = 'PieceError';
  readonly answer: RpcAnswer;
  constructor(answer: RpcAnswer) {
    super('A node rejected a part of the range');
    this.answer = answer;
  }
}

const errorAnswer = (code: number, message: string): RpcAnswer => ({
  error: Buffer.from(JSON.stringify({ code, message })),
});
const tooMuch = (maxBytes: number) =>
  errorAnswer(-32_005, `Logs exceed ${maxBytes} bytes. Request a smaller range of blocks.`);
const replaced = () => errorAnswer(-32_000, 'A reorg replaced blocks while their logs were read. Retry the request.');

const messageOf = (answer: RpcAnswer) => ('error' in answer ? faultOf(readError(answer.error)).message : '');
const isTooMuch = (answer: RpcAnswer): answer is Extract<RpcAnswer, { readonly error: Uint8Array }> =>
  'error' in answer && faultOf(readError(answer.error)).kind === 'oversized';

/** Returns the JSON of a piece's logs without the surrounding brackets. */
const logsBody = (answer: RpcAnswer): Buffer => {
  if ('error' in answer) throw new PieceError(answer);
  const text = Buffer.from(answer.result.buffer, answer.result.byteOffset, answer.result.length);
  const [start, end] = [text.indexOf('['), text.lastIndexOf(']')];
  if (start !== 0 || end !== text.length - 1)
    throw new PieceError(
      errorAnswer(-32_603, 'A node returned something other than a list of logs. Retry the request.'),
    );
  return text.subarray(1, end);
};

const comma = Buffer.from(',');
const space = 0x20;
const joined = (pieces: Pieces): RpcAnswer => {
  const full = pieces.bodies.filter((body) => body.some((byte) => byte > space));
  const parts = full.flatMap((body, place) => (place === 0 ? [body] : [comma, body]));
  const source = joinedSource(pieces);
  return { result: Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]), ...(source && { source }) };
};

/**
 * Creates functions that read the pieces of one request within the bounds. The first failure ends the reading of all
 * pieces.
 */
const createReading = (
  call: RpcCall,
  fetch: Fetch,
  { first, final }: { readonly first: RpcAnswer | null; readonly final: number },
  bounds: Bounds,
  cancellation: Cancellation,
) => {
  const sources: PieceSource[] = [];
  let refused = first;
  let pieces = 0;
  let bytes = 0;
  const ask = async (range: LogRange): Promise<RpcAnswer> => {
    if (++pieces > bounds.maxPieces && refused) throw new PieceError(refused);
    const piece = callFor(call, range);
    const answer = await fetch(
      piece,
      JSON.stringify(piece.params),
      cacheabilityOf(piece.method, piece.params),
      cancellation,
    );
    bytes += 'result' in answer ? answer.result.length : 0;
    if (bytes > bounds.maxBytes) throw new PieceError(tooMuch(bounds.maxBytes));
    if ('result' in answer) sources.push({ source: answer.source, isFinal: range.to <= final });
    return answer;
  };
  /** Reads a range. Splits the range in halves when the nodes reject it as too large. */
  const read = async (range: LogRange, accepted: (width: number) => void): Promise<readonly Buffer[]> => {
    const answer = await ask(range);
    if (!isTooMuch(answer)) {
      const body = logsBody(answer);
      accepted(widthOf(range));
      return [body];
    }
    refused ??= answer;
    if (range.from === range.to) throw new PieceError(refused);
    return readInTurn(splitAt(range), accepted);
  };
  const readInTurn = async (ranges: readonly LogRange[], accepted: (width: number) => void) => {
    const bodies: Buffer[] = [];
    for (const range of ranges) bodies.push(...(await read(range, accepted)));
    return bodies;
  };
  return {
    /**
     * Reads one range after the other. Calls `accepted` with the number of blocks of each piece that the nodes accept.
     */
    readInTurn: async (ranges: readonly LogRange[], accepted: (width: number) => void): Promise<Pieces> => ({
      bodies: await readInTurn(ranges, accepted),
      sources,
    }),
    /** Reads ranges that are expected to be accepted, `atOnce` at a time. */
    readTogether: async (ranges: readonly LogRange[]): Promise<Pieces> => {
      const found: (readonly Buffer[])[] = [];
      const left = ranges.entries();
      const work = async () => {
        for (const [place, range] of left) found[place] = await read(range, () => undefined);
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return { bodies: found.flat(), sources };
    },
  };
};

/** Runs work that is cancelled when the caller cancels, when the work fails, or after `deadlineMs`. */
const withDeadline = async <T>(
  deadlineMs: number,
  caller: Cancellation,
  work: (cancellation: Cancellation) => Promise<T>,
): Promise<T> => {
  const own = createCancellation();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    own.cancel();
  }, deadlineMs).unref();
  const stopListening = caller.onCancel(own.cancel);
  try {
    return await work(own);
  } catch (error) {
    throw isLate ? new NodeTimeout() : error;
  } finally {
    clearTimeout(timer);
    stopListening();
    own.cancel();
  }
};

/** Returns the call with the node to ask first; the unchanged call if `node` is undefined. */
const asking = (call: RpcCall, node: number | undefined): RpcCall => (node === undefined ? call : { ...call, node });

const asAnswer = (error: unknown): RpcAnswer => {
  if (error instanceof PieceError) return error.answer;
  throw error;
};

/**
 * Wraps `fetch`: a request for logs that every node rejects as too large is split, and the pieces of its answer are
 * joined in order. If more than `maxPieces` would be needed, the nodes' own error is returned.
 */
export const splitLogs = (fetch: Fetch, { head, finalHeight, nodeCount }: Sources, bounds: Bounds): Fetch => {
  const widths = createWidths();

  const blockAt = async (block: string, cacheability: Cacheability, cancellation: Cancellation, node = unknownNode) => {
    const params = [block, false];
    const call = { method: 'eth_getBlockByNumber', params, node };
    const answer = await fetch(call, JSON.stringify(params), cacheability, cancellation);
    const found = 'result' in answer ? (JSON.parse(Buffer.from(answer.result).toString()) as Block | null) : null;
    return { found, node: answer.source?.node ?? unknownNode };
  };
  const heightFor = (cancellation: Cancellation) => async (tag: MovingTag) => {
    if (tag === 'latest') return head();
    const number = (await blockAt(tag, { kind: 'head' }, cancellation)).found?.number;
    return isQuantity(number) ? Number(number) : null;
  };
  const readOneBranch = async (
    range: LogRange,
    cancellation: Cancellation,
    read: (node?: number) => Promise<Pieces>,
  ): Promise<RpcAnswer> => {
    const hashAt = async (height: number, node: number) => {
      const block = await blockAt(`0x${height.toString(16)}`, { kind: 'height', height }, cancellation, node);
      return { node: block.node, hash: block.found?.hash };
    };
    const pieces = await createOneBranch({ head, finalHeight, nodeCount, hashAt })(range, read);
    if (pieces === null) throw new PieceError(replaced());
    return joined(pieces);
  };
  const readRefused = async (call: RpcCall, range: LogRange, refused: RpcAnswer, cancellation: Cancellation) => {
    const final = finalHeight();
    const halves = final >= range.from && final < range.to ? splitAt(range, final) : splitAt(range);
    let widest = 0;
    const accepted = (width: number) => {
      widest = Math.max(widest, width);
    };
    const answer = await readOneBranch(range, cancellation, (node) =>
      createReading(asking(call, node), fetch, { first: refused, final }, bounds, cancellation).readInTurn(
        halves,
        accepted,
      ),
    );
    if (isAboutWidth(messageOf(refused))) widths.learn(widest);
    return answer;
  };
  const readPlanned = (call: RpcCall, range: LogRange, ranges: readonly LogRange[], cancellation: Cancellation) => {
    const from = { first: null, final: finalHeight() };
    return readOneBranch(range, cancellation, (node) =>
      createReading(asking(call, node), fetch, from, bounds, cancellation).readTogether(ranges),
    );
  };

  /**
   * Returns a request's range and the pieces to split it into. Returns null unless the range is known to be wider than
   * the nodes accept and needs at most half of `maxPieces`.
   */
  const planFor = async (call: RpcCall, cancellation: Cancellation) => {
    const widest = widths.known();
    const range = widest === null ? null : await rangeOf(call, heightFor(cancellation));
    if (widest === null || range === null) return null;
    const ranges = splitBy(range, widest);
    return ranges.length > 1 && ranges.length <= bounds.maxPieces / 2 ? { range, ranges } : null;
  };
  const logs: Fetch = async (call, params, cacheability, caller) => {
    const timed = (work: (cancellation: Cancellation) => Promise<RpcAnswer>) =>
      withDeadline(bounds.deadlineMs, caller, work).catch(asAnswer);
    const plan = await planFor(call, caller);
    if (plan) return timed((cancellation) => readPlanned(call, plan.range, plan.ranges, cancellation));
    const answer = await fetch(call, params, cacheability, caller);
    const range = isTooMuch(answer) ? await rangeOf(call, heightFor(caller)) : null;
    return range ? timed((cancellation) => readRefused(call, range, answer, cancellation)) : answer;
  };
  return (call, ...terms) => (call.method === 'eth_getLogs' ? logs : fetch)(call, ...terms);
};
