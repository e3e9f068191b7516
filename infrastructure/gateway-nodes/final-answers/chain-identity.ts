import { createCancellation } from '../../../application/async/cancellation.js';
import { cacheabilityOf } from '../../../application/gateway/cacheability.js';
import type { Fetch } from '../fetch.js';
import { chainNameIn, storedNameOf } from '../identity/chain-name.js';

const resultOf = async (fetch: Fetch, method: string, params: readonly unknown[]): Promise<unknown> => {
  const answer = await fetch(
    { method, params },
    JSON.stringify(params),
    cacheabilityOf(method, params),
    createCancellation(),
  );
  return 'result' in answer ? (JSON.parse(Buffer.from(answer.result).toString()) as unknown) : null;
};

/** Reads the chain id and the hash of block 0 from the nodes; null when one of them is missing. */
export const identityOf = async (fetch: Fetch): Promise<string | null> => {
  const [id, first] = await Promise.all([
    resultOf(fetch, 'eth_chainId', []),
    resultOf(fetch, 'eth_getBlockByNumber', ['0x0', false]),
  ]);
  return storedNameOf(chainNameIn(id, first));
};

/** Age at which the identity of a chain expires, and age at which it is refreshed while it is in use. */
const ttlMs = 60_000;
const refreshMs = 30_000;
/** Pause after a failed attempt to read the identity. */
const restMs = 1000;

/**
 * Creates a tracker for the identity of the chain that the nodes serve: chain id and hash of block 0. The identity is
 * read in the background, so that no call waits for it.
 */
export const createChainIdentity = (read: () => Promise<string | null>, now = () => performance.now()) => {
  let chain: string | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<string | null> | null = null;
  /** Number of resets. A read that started before a reset is ignored. */
  let resets = 0;

  /** Reads the identity now; null when it cannot be read. */
  const readNow = async (): Promise<string | null> => {
    const startedAt = now();
    const before = resets;
    triedAt = startedAt;
    const found = await read().catch(() => null);
    if (before !== resets) return null;
    chain = found;
    readAt = startedAt;
    return found;
  };
  const refresh = () => {
    if (reading || now() - triedAt < restMs) return;
    reading = readNow().finally(() => {
      reading = null;
    });
  };
  return {
    readNow,
    /** Returns the identity that was read last; null when it is unknown or expired. */
    known: (): string | null => {
      if (chain === null || now() - readAt >= refreshMs) refresh();
      return now() - readAt < ttlMs ? chain : null;
    },
    /** Drops the identity after the nodes switched to another chain. */
    forget: () => {
      resets++;
      chain = null;
      triedAt = Number.NEGATIVE_INFINITY;
    },
  };
};
