import type { Cancellation } from '../../application/async/cancellation.js';
import type { MaybePromise } from '../../application/async/maybe-promise.js';
import { createSingleFlight } from '../../application/async/single-flight.js';
import type { Cacheability } from '../../application/gateway/cacheability.js';
import { nodesIn, type RpcAnswer, type RpcCall } from '../../application/ports/node.js';
import { isComparable } from './agreement/comparable.js';
import { createAnswerCache } from './cache.js';
import { heightIn, isEmptyish } from './checks.js';
import type { SharedStore } from './final-answers/shared-store.js';
import { type Finality, firstPollMs, unknownHeight } from './head-poller.js';

/** Milliseconds for which an in-flight request about the latest state is shared with identical requests. */
const sharedMs = 100;
const maxMs = 60_000;

const needsFinality = ({ kind }: Cacheability) => kind === 'height' || kind === 'transaction';
const isLasting = ({ kind }: Cacheability) => kind === 'always' || kind === 'hash';

/** Matches a hex string with upper-case digits in a value, but not in a property name. */
const capitalHex = /(?<=[[,:])"0x[0-9a-f]*[A-F][0-9a-fA-F]*"(?=[\],}])/g;

const capital = /[A-F]/;

/**
 * Returns the cache key of a request. Requests that differ only in the case of hex digits have the same key. `params`
 * is JSON without spaces.
 */
const keyOf = (method: string, params: string) =>
  `${method} ${capital.test(params) ? params.replace(capitalHex, (digits) => digits.toLowerCase()) : params}`;

/** Returns whether the block that an answer is about is final. */
const isFinal = (cacheability: Cacheability, answer: { readonly result: Uint8Array }, finalHeight: number) => {
  if (cacheability.kind === 'height') return cacheability.height <= finalHeight;
  const height = cacheability.kind === 'transaction' ? heightIn(answer.result as Buffer, 'blockNumber') : null;
  return height !== null && height <= finalHeight;
};

/** Returns the milliseconds for which an in-flight request about data that is not final may be shared. */
const sharedFor = ({ kind }: Cacheability, finalHeight: number) =>
  kind === 'height' && finalHeight === unknownHeight ? firstPollMs : sharedMs;

/** Returns the single-flight key of a request, and for how many milliseconds identical requests may join it. */
const flightOf = (key: string, cacheability: Cacheability, finalHeight: number, changes: number) => {
  // Gives a request that is sent before its block is final a key of its own, so that no later request joins it: its
  // answer may contain a block that was replaced.
  if (isLasting(cacheability) || (cacheability.kind === 'height' && cacheability.height <= finalHeight))
    return { flight: key, maxAgeMs: maxMs };
  return { flight: `${changes} ${key}`, maxAgeMs: sharedFor(cacheability, finalHeight) };
};

type Fetch = (cancellation: Cancellation) => Promise<RpcAnswer>;
type Counted = { hits: number; misses: number; coalesced: number };
type Request = {
  readonly key: string;
  /** Key in the cache that is shared with other processes. */
  readonly storedKey: string;
  readonly cacheability: Cacheability;
};

/**
 * Returns the key in the shared cache. Answers on which several nodes agreed have keys of their own, because gateways
 * without agreement may have stored answers of single nodes.
 */
const storedKeyOf = (key: string, call: RpcCall, cacheability: Cacheability, agreement: number) =>
  agreement > 1 && isComparable(call, cacheability) ? `${agreement} ${key}` : key;

/**
 * Returns the result if it can be cached: it can no longer change and is not empty. Returns null for any other answer.
 */
const cacheableResult = (cacheability: Cacheability, answer: RpcAnswer, finalHeight: number): Buffer | null => {
  if ('error' in answer || !(isLasting(cacheability) || isFinal(cacheability, answer, finalHeight))) return null;
  const result = answer.result as Buffer;
  return isEmptyish(result) ? null : result;
};

/** Returns whether another process may have stored the answer. */
const mayBeStored = (cacheability: Cacheability, finality: Pick<Finality, 'height'>) => {
  if (cacheability.kind !== 'height') return cacheability.kind === 'hash' || cacheability.kind === 'transaction';
  const finalHeight = finality.height();
  return finalHeight === unknownHeight || cacheability.height <= finalHeight;
};

/**
 * Creates a function that looks up an answer in the cache that is shared with other processes before it asks a node. An
 * answer found there counts as a hit, and the miss that was already counted for the request is subtracted.
 */
const storedOr =
  (store: SharedStore, { storedKey }: Request, fetch: Fetch, counted: Counted, recordReuse: () => boolean): Fetch =>
  (cancellation) => {
    const use = (result: Buffer | null): RpcAnswer | Promise<RpcAnswer> => {
      if (!result) return fetch(cancellation);
      counted.misses--;
      counted.hits++;
      return { result, recordReuse };
    };
    return store.find(storedKey)?.then(use) ?? fetch(cancellation);
  };

/** Stores an answer in the cache that is shared with other processes, if its nodes are known. */
const storeIn = (store: SharedStore, { storedKey, cacheability }: Request, result: Buffer, answer: RpcAnswer) => {
  const nodes = nodesIn(answer.source);
  // The chain id is part of the key of the shared cache, so the chain id itself is never stored there.
  if (cacheability.kind !== 'always' && nodes.length > 0) store.keep(storedKey, result, nodes);
};

type SharedAnswersOptions = {
  /** Called on every use of a cached answer. */
  readonly noteUse?: () => void;
  readonly store?: SharedStore | undefined;
  /** Number of nodes that must give the same answer to requests whose answers can be compared. */
  readonly agreement?: number;
};

/**
 * Creates a cache of answers that can no longer change (never null, errors or pending data). Identical requests in
 * flight are coalesced.
 */
export const createSharedAnswers = (
  cacheBytes: number,
  finality: Pick<Finality, 'height'>,
  { noteUse = () => undefined, store, agreement = 1 }: SharedAnswersOptions = {},
) => {
  const cache = createAnswerCache(cacheBytes);
  const flights = createSingleFlight<RpcAnswer>(() => performance.now(), { rejectCancelled: true });
  const counted: Counted = { hits: 0, misses: 0, coalesced: 0 };
  let changes = 0;
  /** Number of times that the cache was cleared. */
  let clears = 0;

  const remember = (request: Request, answer: RpcAnswer, finalHeight: number) => {
    const result = cacheableResult(request.cacheability, answer, finalHeight);
    if (!result) return;
    cache.keep(request.key, result);
    if (store) storeIn(store, request, result, answer);
  };
  const join = (request: Request, fetch: Fetch, cancellation?: Cancellation): Promise<RpcAnswer> => {
    const { key, cacheability } = request;
    const before = clears;
    const finalHeight = needsFinality(cacheability) ? finality.height() : unknownHeight;
    const { flight, maxAgeMs } = flightOf(`${before} ${key}`, cacheability, finalHeight, changes);
    if (flights.has(flight, maxAgeMs)) counted.coalesced++;
    const start = async (given: Cancellation) => {
      // `finalHeight` is read before the request: a block that is final only afterwards may be a different one.
      const answer = await fetch(given);
      // An answer that was requested before the cache was cleared may belong to another chain.
      if (before === clears) remember(request, answer, finalHeight);
      return answer;
    };
    // Answers that depend on the head are never cached.
    return flights.run(flight, cancellation, cacheability.kind === 'head' ? fetch : start, maxAgeMs);
  };

  /** Creates a function that counts a cache hit, or returns false if the cache was cleared since `before`. */
  const repeatedSince = (before: number) => () => {
    if (before !== clears) return false;
    counted.hits++;
    noteUse();
    return true;
  };
  let repeated = repeatedSince(clears);
  return {
    counted,
    /** Prevents callers that have just changed the chain from joining a request that was sent before the change. */
    noteChange: () => {
      changes++;
    },
    /** Clears the cache after the nodes switched to another chain. */
    forget: () => {
      clears++;
      cache.clear();
      repeated = repeatedSince(clears);
    },
    find: (
      call: RpcCall,
      params: string,
      cacheability: Cacheability,
      fetch: Fetch,
      cancellation?: Cancellation,
    ): MaybePromise<RpcAnswer> => {
      const key = keyOf(call.method, params);
      const kept = cache.find(key);
      if (kept) {
        repeated();
        return { result: kept, recordReuse: repeated };
      }
      if (cacheability.kind !== 'head') counted.misses++;
      const request = { key, storedKey: storedKeyOf(key, call, cacheability, agreement), cacheability };
      if (!store || !mayBeStored(cacheability, finality)) return join(request, fetch, cancellation);
      return join(request, storedOr(store, request, fetch, counted, repeated), cancellation);
    },
  };
};
