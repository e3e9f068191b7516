import { type Cancellation, createCancellation } from '../../../application/async/cancellation.js';
import { type Cacheability, cacheabilityOf } from '../../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { isHash, isQuantity, isRecord } from '../../../domain/rpc-value.js';

type Fetch = (call: RpcCall, params: string, reach: Cacheability, cancellation: Cancellation) => Promise<RpcAnswer>;

const resultOf = async (fetch: Fetch, method: string, params: readonly unknown[]): Promise<unknown> => {
  const answer = await fetch(
    { method, params },
    JSON.stringify(params),
    cacheabilityOf(method, params),
    createCancellation(),
  );
  return 'result' in answer ? (JSON.parse(Buffer.from(answer.result).toString()) as unknown) : null;
};

/** Reads chain id and first block from the nodes; null when they do not tell both. */
export const identityOf = async (fetch: Fetch): Promise<string | null> => {
  const [id, first] = await Promise.all([
    resultOf(fetch, 'eth_chainId', []),
    resultOf(fetch, 'eth_getBlockByNumber', ['0x0', false]),
  ]);
  return isQuantity(id) && isRecord(first) && isHash(first.hash) ? `${id} ${first.hash}`.toLowerCase() : null;
};

/** Time for which the identity of a chain is believed, and time after which it is read again while somebody asks. */
const believedMs = 60_000;
const renewedMs = 30_000;
/** Time without another attempt after the identity could not be read. */
const restMs = 1000;

/**
 * Knows the chain that the nodes serve, by chain id and first block. The identity is read in the background, so that
 * nobody waits for it; until it is known, and once it is old, there is none.
 */
export const createChainIdentity = (read: () => Promise<string | null>, now = () => performance.now()) => {
  let chain: string | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<string | null> | null = null;
  /** Number of times that the identity was forgotten; one that was being read meanwhile does not count. */
  let times = 0;

  /** Reads the identity now. */
  const readNow = async (): Promise<string | null> => {
    const startedAt = now();
    const before = times;
    triedAt = startedAt;
    const found = await read().catch(() => null);
    if (before !== times) return null;
    chain = found;
    readAt = startedAt;
    return found;
  };
  const renew = () => {
    if (reading || now() - triedAt < restMs) return;
    reading = readNow().finally(() => {
      reading = null;
    });
  };
  return {
    readNow,
    /** Returns the identity as it was last read; null when it is unknown or old. */
    known: (): string | null => {
      if (chain === null || now() - readAt >= renewedMs) renew();
      return now() - readAt < believedMs ? chain : null;
    },
    /** Drops the identity, because nodes were seen to serve another chain. */
    forget: () => {
      times++;
      chain = null;
      triedAt = Number.NEGATIVE_INFINITY;
    },
  };
};
