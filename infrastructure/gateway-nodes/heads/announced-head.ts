import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { headIn } from '../checks.js';

/** Milliseconds after which a lower head is accepted, because the chain may have become shorter. */
const acceptLowerAfterMs = 60_000;
/** Height before any head was announced to a caller. */
const unknown = -1;

type Result = Extract<RpcAnswer, { readonly result: Uint8Array }>;
type Seen = { readonly height: number; readonly answer: Result };

/** Channel over which processes share the heads that they announced to callers. */
export type HeadChannel = {
  announce(height: number): void;
  listen(listener: (height: number) => void): unknown;
};

/** Tracks the highest head announced to any caller, so that heads never go backwards. Calls `onMove` when it changes. */
export const createAnnouncedHead = (onMove: () => void, channel?: HeadChannel) => {
  let height = unknown;
  let reachedAt = 0;
  let resets = 0;
  /** Newest answer to each request about the head. */
  const newest = new Map<string, Seen>();

  const isOld = () => performance.now() - reachedAt >= acceptLowerAfterMs;
  const isBehind = (found: number | null): boolean => found !== null && found < height && !isOld();

  const note = (found: number): boolean => {
    if (isBehind(found)) return false;
    const hasMoved = found !== height;
    height = found;
    reachedAt = performance.now();
    if (hasMoved) onMove();
    return hasMoved;
  };
  const raise = (found: number) => {
    if (note(found)) channel?.announce(found);
  };
  const earlierAnswer = (key: string, { method }: RpcCall): Result | number => {
    if (method === 'eth_blockNumber') return { result: Buffer.from(`"0x${height.toString(16)}"`) };
    const seen = newest.get(key);
    return seen && !isBehind(seen.height) ? seen.answer : height;
  };
  channel?.listen(note);

  return {
    /** Returns the height below which no head may be announced; -1 for no bound. */
    height: (): number => (isOld() ? unknown : height),
    isBehind,
    raise,
    /** Returns the number of resets. */
    resets: () => resets,
    /** Resets all heads after the nodes switched to another chain, or after a development chain was rewound. */
    reset: () => {
      resets++;
      height = unknown;
      newest.clear();
      onMove();
    },
    /**
     * Returns the answer unless it is about a lower head than the announced one. In that case returns an earlier answer
     * with the announced head or, without one, the announced height.
     */
    settle: (call: RpcCall, params: string, answer: Result): Result | number => {
      const found = headIn(call.method, call.params, answer);
      if (found === null) return answer;
      const key = `${call.method} ${params}`;
      if (isBehind(found)) return earlierAnswer(key, call);
      raise(found);
      newest.set(key, { height: found, answer });
      return answer;
    },
  };
};

export type AnnouncedHead = ReturnType<typeof createAnnouncedHead>;
