import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { headIn } from '../checks.js';

/** Time after which a chain that became shorter is believed. */
const believedAfterMs = 60_000;
/** Height before anybody was told of a head. */
const unknown = -1;

type Result = Extract<RpcAnswer, { readonly result: Uint8Array }>;
type Seen = { readonly height: number; readonly answer: Result };

/** Way by which processes tell each other of the heads that they told their callers. */
export type HeadChannel = {
  tell(height: number): void;
  hear(listener: (height: number) => void): unknown;
};

/** Remembers the highest head that any caller was told of, so that no answer tells of a lower one; calls `onMove` when that head moves. */
export const createAnnouncedHead = (onMove: () => void, channel?: HeadChannel) => {
  let height = unknown;
  let reachedAt = 0;
  let forgotten = 0;
  /** Newest answer to each question about the head. */
  const newest = new Map<string, Seen>();

  const isOld = () => performance.now() - reachedAt >= believedAfterMs;
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
    if (note(found)) channel?.tell(found);
  };
  const instead = (key: string, { method }: RpcCall): Result | number => {
    if (method === 'eth_blockNumber') return { result: Buffer.from(`"0x${height.toString(16)}"`) };
    const seen = newest.get(key);
    return seen && !isBehind(seen.height) ? seen.answer : height;
  };
  channel?.hear(note);

  return {
    /** Returns the height below which no head is told; -1 for none. */
    height: (): number => (isOld() ? unknown : height),
    isBehind,
    raise,
    /** Returns how many times all heads were forgotten. */
    forgotten: () => forgotten,
    /** Forgets all heads: the chain became another one, or a development chain was made shorter on request. */
    forget: () => {
      forgotten++;
      height = unknown;
      newest.clear();
      onMove();
    },
    /**
     * Returns the answer, or the newest one before it when the answer is about a lower head; where there is none, the
     * height of the head that callers were told of.
     */
    settle: (call: RpcCall, params: string, answer: Result): Result | number => {
      const found = headIn(call.method, call.params, answer);
      if (found === null) return answer;
      const key = `${call.method} ${params}`;
      if (isBehind(found)) return instead(key, call);
      raise(found);
      newest.set(key, { height: found, answer });
      return answer;
    },
  };
};

export type AnnouncedHead = ReturnType<typeof createAnnouncedHead>;
