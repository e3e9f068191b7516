import { type Cancellation, createCancellation } from '../../../application/async/cancellation.js';
import { type Cacheability, cacheabilityOf } from '../../../application/gateway/cacheability.js';
import { NodeTimeout, type RpcAnswer, type RpcCall } from '../../../application/ports/node.js';
import { isQuantity } from '../../../domain/rpc-value.js';
import { faultOf, readError } from '../../nodes/json-rpc/rpc-fault.js';
import { callFor, type LogRange, type MovingTag, partedAt, partedBy, rangeOf, widthOf } from './range.js';
import { createWidths, isAboutWidth } from './widths.js';

type Fetch = (call: RpcCall, params: string, reach: Cacheability, cancellation: Cancellation) => Promise<RpcAnswer>;

type Sources = {
  /** Returns the height of the newest block. */
  head(): Promise<number>;
  /** Returns the height up to which no block is replaced any more. */
  finalHeight(): number;
};

/** Members of a block that nodes are asked for; anything may stand in them. */
type Block = { readonly hash?: unknown; readonly number?: unknown };

type Bounds = { readonly maxPieces: number; readonly maxBytes: number; readonly deadlineMs: number };

/** Number of pieces that are asked for at once, where it is known how wide each may be. */
const atOnce = 4;

/** An answer other than logs, which ends the work on all pieces. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly answer: RpcAnswer;
  constructor(answer: RpcAnswer) {
    super('a node refused a piece');
    this.answer = answer;
  }
}

const refusal = (code: number, message: string): RpcAnswer => ({
  error: Buffer.from(JSON.stringify({ code, message })),
});
const tooMuch = (maxBytes: number) =>
  refusal(-32_005, `the logs are larger than ${maxBytes} bytes: ask for fewer blocks at a time`);
const replaced = () => refusal(-32_000, 'blocks were replaced while their logs were read in pieces: ask again');

const messageOf = (answer: RpcAnswer) => ('error' in answer ? faultOf(readError(answer.error)).message : '');
const isTooMuch = (answer: RpcAnswer): answer is Extract<RpcAnswer, { readonly error: Uint8Array }> =>
  'error' in answer && faultOf(readError(answer.error)).kind === 'oversized';

/** Returns the logs of a piece without the brackets around them. */
const within = (answer: RpcAnswer): Buffer => {
  if ('error' in answer) throw new Refused(answer);
  const text = Buffer.from(answer.result.buffer, answer.result.byteOffset, answer.result.length);
  const [start, end] = [text.indexOf('['), text.lastIndexOf(']')];
  if (start !== 0 || end !== text.length - 1)
    throw new Refused(refusal(-32_603, 'a node answered with something that is no list of logs'));
  return text.subarray(1, end);
};

const comma = Buffer.from(',');
const space = 0x20;
const joined = (bodies: readonly Buffer[]): RpcAnswer => {
  const full = bodies.filter((body) => body.some((byte) => byte > space));
  const parts = full.flatMap((body, place) => (place === 0 ? [body] : [comma, body]));
  return { result: Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]) };
};

/** Does the work of one question: asks for its pieces within the bounds, and stops all of them when one fails. */
const createReading = (
  call: RpcCall,
  fetch: Fetch,
  first: RpcAnswer | null,
  bounds: Bounds,
  cancellation: Cancellation,
) => {
  let refused = first;
  let pieces = 0;
  let bytes = 0;
  const ask = async (range: LogRange): Promise<RpcAnswer> => {
    if (++pieces > bounds.maxPieces && refused) throw new Refused(refused);
    const piece = callFor(call, range);
    const answer = await fetch(
      piece,
      JSON.stringify(piece.params),
      cacheabilityOf(piece.method, piece.params),
      cancellation,
    );
    bytes += 'result' in answer ? answer.result.length : 0;
    if (bytes > bounds.maxBytes) throw new Refused(tooMuch(bounds.maxBytes));
    return answer;
  };
  /** Reads a range, in halves where the nodes refuse it. */
  const read = async (range: LogRange, accepted: (width: number) => void): Promise<readonly Buffer[]> => {
    const answer = await ask(range);
    if (!isTooMuch(answer)) {
      const body = within(answer);
      accepted(widthOf(range));
      return [body];
    }
    refused ??= answer;
    if (range.from === range.to) throw new Refused(refused);
    return readInTurn(partedAt(range), accepted);
  };
  const readInTurn = async (ranges: readonly LogRange[], accepted: (width: number) => void) => {
    const bodies: Buffer[] = [];
    for (const range of ranges) bodies.push(...(await read(range, accepted)));
    return bodies;
  };
  return {
    readInTurn,
    /** Reads ranges that are expected to be accepted, some at once. */
    readTogether: async (ranges: readonly LogRange[], accepted: (width: number) => void) => {
      const found: (readonly Buffer[])[] = [];
      const left = ranges.entries();
      const work = async () => {
        for (const [place, range] of left) found[place] = await read(range, accepted);
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return found.flat();
    },
  };
};

/** Runs work for a cancellation who leaves with the caller, when the work fails, or when the time is up. */
const withinTime = async <T>(
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
  const stay = caller.onCancel(own.cancel);
  try {
    return await work(own);
  } catch (error) {
    throw isLate ? new NodeTimeout() : error;
  } finally {
    clearTimeout(timer);
    stay();
    own.cancel();
  }
};

const asAnswer = (error: unknown): RpcAnswer => {
  if (error instanceof Refused) return error.answer;
  throw error;
};

/**
 * Asks for logs in pieces where every node refuses to give all at once, and gives them in order as one answer. The nodes'
 * own refusal is the answer when no bounded number of pieces would do.
 */
export const splitLogs = (fetch: Fetch, { head, finalHeight }: Sources, bounds: Bounds): Fetch => {
  const widths = createWidths();

  const blockAt = async (block: string, reach: Cacheability, cancellation: Cancellation): Promise<Block | null> => {
    const params = [block, false];
    const call = { method: 'eth_getBlockByNumber', params };
    const answer = await fetch(call, JSON.stringify(params), reach, cancellation);
    return 'result' in answer ? (JSON.parse(Buffer.from(answer.result).toString()) as Block | null) : null;
  };
  const hashAt = async (height: number, cancellation: Cancellation): Promise<unknown> =>
    (await blockAt(`0x${height.toString(16)}`, { kind: 'height', height }, cancellation))?.hash;
  const heightFor = (cancellation: Cancellation) => async (tag: MovingTag) => {
    if (tag === 'latest') return head();
    const number = (await blockAt(tag, { kind: 'head' }, cancellation))?.number;
    return isQuantity(number) ? Number(number) : null;
  };
  /** Runs work that must see one chain: a block above finality that is replaced meanwhile makes the work start over, once. */
  const onOneChain = async <T>({ to }: LogRange, cancellation: Cancellation, work: () => Promise<T>): Promise<T> => {
    if (to <= finalHeight()) return work();
    const top = Math.min(to, await head());
    for (let tries = 0; tries < 2; tries++) {
      const before = await hashAt(top, cancellation);
      const done = await work();
      if ((await hashAt(top, cancellation)) === before) return done;
    }
    throw new Refused(replaced());
  };
  const readRefused = async (call: RpcCall, range: LogRange, refused: RpcAnswer, cancellation: Cancellation) => {
    const final = finalHeight();
    const halves = final >= range.from && final < range.to ? partedAt(range, final) : partedAt(range);
    let widest = 0;
    const accepted = (width: number) => {
      widest = Math.max(widest, width);
    };
    const bodies = await onOneChain(range, cancellation, () =>
      createReading(call, fetch, refused, bounds, cancellation).readInTurn(halves, accepted),
    );
    if (isAboutWidth(messageOf(refused))) widths.learn(widest);
    return joined(bodies);
  };
  const readPlanned = async (call: RpcCall, range: LogRange, ranges: readonly LogRange[], cancellation: Cancellation) =>
    joined(
      await onOneChain(range, cancellation, () =>
        createReading(call, fetch, null, bounds, cancellation).readTogether(ranges, () => undefined),
      ),
    );

  /** Returns the pieces of a question that the nodes are known to refuse; null for all other questions. */
  const planFor = async (call: RpcCall, cancellation: Cancellation) => {
    const widest = widths.known();
    const range = widest === null ? null : await rangeOf(call, heightFor(cancellation));
    if (widest === null || range === null) return null;
    const ranges = partedBy(range, widest);
    return ranges.length > 1 && ranges.length <= bounds.maxPieces / 2 ? { range, ranges } : null;
  };
  const logs: Fetch = async (call, params, reach, caller) => {
    const timed = (work: (cancellation: Cancellation) => Promise<RpcAnswer>) =>
      withinTime(bounds.deadlineMs, caller, work).catch(asAnswer);
    const plan = await planFor(call, caller);
    if (plan) return timed((cancellation) => readPlanned(call, plan.range, plan.ranges, cancellation));
    const answer = await fetch(call, params, reach, caller);
    const range = isTooMuch(answer) ? await rangeOf(call, heightFor(caller)) : null;
    return range ? timed((cancellation) => readRefused(call, range, answer, cancellation)) : answer;
  };
  return (call, params, reach, cancellation) =>
    call.method === 'eth_getLogs' ? logs(call, params, reach, cancellation) : fetch(call, params, reach, cancellation);
};
