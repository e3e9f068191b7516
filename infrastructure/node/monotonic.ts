import type { RpcCall } from '../../application/ports/node.js';
import { headIn } from './checks.js';

/** After so long a chain that became shorter is believed. */
const believedAfterMs = 60_000;

type Seen = { readonly height: number; readonly result: Buffer };

/** No head that is told is below one told before. */
export const createMonotonic = () => {
  let height = -1;
  let reachedAt = 0;
  /** The newest answer to each question about the head. */
  const newest = new Map<string, Seen>();

  const isBehind = (found: number | null): boolean =>
    found !== null && found < height && performance.now() - reachedAt < believedAfterMs;

  const instead = (key: string, { method }: RpcCall, result: Buffer): Buffer => {
    if (method === 'eth_blockNumber') return Buffer.from(`"0x${height.toString(16)}"`);
    const seen = newest.get(key);
    return seen && !isBehind(seen.height) ? seen.result : result;
  };
  return {
    isBehind,
    /** The answer, or where no node has come as far as the last one told, that. */
    settle: (call: RpcCall, params: string, result: Buffer): Buffer => {
      const found = headIn(call.method, call.params, result);
      if (found === null) return result;
      const key = `${call.method} ${params}`;
      if (isBehind(found)) return instead(key, call, result);
      height = found;
      reachedAt = performance.now();
      newest.set(key, { height, result });
      return result;
    },
  };
};
