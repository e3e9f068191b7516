import type { RpcAnswer, RpcCall } from '../../application/ports/node.js';
import { headIn } from './checks.js';

/** After so long a chain that became shorter is believed. */
const believedAfterMs = 60_000;

type Result = Extract<RpcAnswer, { readonly result: Uint8Array }>;
type Seen = { readonly height: number; readonly answer: Result };

/** No head that is told is below one told before. */
export const createMonotonic = () => {
  let height = -1;
  let reachedAt = 0;
  /** The newest answer to each question about the head. */
  const newest = new Map<string, Seen>();

  const isBehind = (found: number | null): boolean =>
    found !== null && found < height && performance.now() - reachedAt < believedAfterMs;

  const instead = (key: string, { method }: RpcCall, answer: Result): Result => {
    if (method === 'eth_blockNumber') return { result: Buffer.from(`"0x${height.toString(16)}"`) };
    const seen = newest.get(key);
    return seen && !isBehind(seen.height) ? seen.answer : answer;
  };
  return {
    isBehind,
    /** The answer, or where no node has come as far as the last one told, that. */
    settle: (call: RpcCall, params: string, answer: Result): Result => {
      const found = headIn(call.method, call.params, answer);
      if (found === null) return answer;
      const key = `${call.method} ${params}`;
      if (isBehind(found)) return instead(key, call, answer);
      height = found;
      reachedAt = performance.now();
      newest.set(key, { height, answer });
      return answer;
    },
  };
};
