import type { Cancellation } from '../../application/async/cancellation.js';
import type { MaybePromise } from '../../application/async/maybe-promise.js';
import { createSingleFlight } from '../../application/async/single-flight.js';
import type { Cacheability } from '../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../application/ports/node.js';
import { createAnswerCache } from './cache.js';
import { heightIn, isEmptyish } from './checks.js';
import type { SharedStore } from './final-answers/shared-store.js';
import { type Finality, firstLookMs, unknownHeight } from './head-poller.js';

/** Time for which a question about the latest state is shared with callers who ask the same. */
const sharedMs = 100;
const maxMs = 60_000;

const needsFinality = ({ kind }: Cacheability) => kind === 'height' || kind === 'transaction';
const isLasting = ({ kind }: Cacheability) => kind === 'always' || kind === 'hash';

/** Hex digits in capitals in a value, but not in the name of a member: quotes within texts follow a backslash. */
const capitalHex = /(?<=[[,:])"0x[0-9a-f]*[A-F][0-9a-fA-F]*"(?=[\],}])/g;

const capital = /[A-F]/;

/** Returns one text for all questions that mean the same; `params` is JSON without spaces, and mostly without capitals. */
const keyOf = (method: string, params: string) =>
  `${method} ${capital.test(params) ? params.replace(capitalHex, (digits) => digits.toLowerCase()) : params}`;

/** Tells whether an answer is about blocks up to the final height `settled`. */
const isFinal = (reach: Cacheability, answer: { readonly result: Uint8Array }, settled: number) => {
  if (reach.kind === 'height') return reach.height <= settled;
  const height = reach.kind === 'transaction' ? heightIn(answer.result as Buffer, 'blockNumber') : null;
  return height !== null && height <= settled;
};

/** Time for which others may join a question about unsettled data that is under way. */
const sharedFor = ({ kind }: Cacheability, settled: number) =>
  kind === 'height' && settled === unknownHeight ? firstLookMs : sharedMs;

/** Names the flight of a question, and says for how long others may join it. */
const flightOf = (key: string, reach: Cacheability, settled: number, changes: number) => {
  // A question about a block that is final now is not the same as before, when another block may have been there.
  if (isLasting(reach) || (reach.kind === 'height' && reach.height <= settled)) return { name: key, longest: maxMs };
  return { name: `${changes} ${key}`, longest: sharedFor(reach, settled) };
};

type Fetch = (cancellation: Cancellation) => Promise<RpcAnswer>;

/** Tells whether another process may have kept the answer. */
const mayBeStored = (reach: Cacheability, finality: Pick<Finality, 'height'>) => {
  if (reach.kind !== 'height') return reach.kind === 'hash' || reach.kind === 'transaction';
  const settled = finality.height();
  return settled === unknownHeight || reach.height <= settled;
};

/** Looks in the cache that is shared with other processes before a node is asked; an answer from there is a hit after all. */
const storedOr =
  (store: SharedStore, key: string, fetch: Fetch, counted: { hits: number; misses: number }): Fetch =>
  (cancellation) => {
    const use = (result: Buffer | null): RpcAnswer | Promise<RpcAnswer> => {
      if (!result) return fetch(cancellation);
      counted.misses--;
      counted.hits++;
      return { result };
    };
    return store.find(key)?.then(use) ?? fetch(cancellation);
  };

type Besides = {
  /** Called with every use of a remembered answer. */
  readonly noteUse?: () => void;
  readonly store?: SharedStore | undefined;
};

/** Caches answers that can no longer change (never null, errors or pending data), and shares questions that are under way. */
export const createSharedAnswers = (
  cacheBytes: number,
  finality: Pick<Finality, 'height'>,
  { noteUse = () => undefined, store }: Besides = {},
) => {
  const cache = createAnswerCache(cacheBytes);
  const flights = createSingleFlight<RpcAnswer>(() => performance.now(), { rejectLeavers: true });
  const counted = { hits: 0, misses: 0, coalesced: 0 };
  let changes = 0;
  /** Number of times that everything was forgotten. */
  let forgotten = 0;

  const remember = (key: string, reach: Cacheability, answer: RpcAnswer, settled: number) => {
    if ('error' in answer || !(isLasting(reach) || isFinal(reach, answer, settled))) return;
    const result = answer.result as Buffer;
    if (isEmptyish(result)) return;
    cache.keep(key, result);
    // The id of a chain is part of the identity by which answers are kept, and so is never kept itself.
    if (reach.kind !== 'always') store?.keep(key, result);
  };
  const join = (key: string, reach: Cacheability, fetch: Fetch, cancellation?: Cancellation): Promise<RpcAnswer> => {
    const before = forgotten;
    const settled = needsFinality(reach) ? finality.height() : unknownHeight;
    const { name, longest } = flightOf(key, reach, settled, changes);
    const flight = `${before} ${name}`;
    if (flights.has(flight, longest)) counted.coalesced++;
    const start = async (given: Cancellation) => {
      // A block that becomes final while the answer is under way may have replaced the one that the answer is about.
      const answer = await fetch(given);
      // An answer that was asked for before all was forgotten may be of another chain.
      if (before === forgotten) remember(key, reach, answer, settled);
      return answer;
    };
    // An answer that depends on the head is not kept.
    const answer = flights.run(flight, cancellation, reach.kind === 'head' ? fetch : start, longest);
    return answer;
  };

  /** Makes a counter of hits that tells whether the answer is still remembered. */
  const repeatedSince = (before: number) => () => {
    if (before !== forgotten) return false;
    counted.hits++;
    noteUse();
    return true;
  };
  let repeated = repeatedSince(forgotten);
  return {
    counted,
    /** Keeps callers who have just changed the chain from sharing a question that was asked before the change. */
    noteChange: () => {
      changes++;
    },
    /** Forgets all answers, after the chain became another one. */
    forget: () => {
      forgotten++;
      cache.clear();
      repeated = repeatedSince(forgotten);
    },
    find: (
      call: RpcCall,
      params: string,
      reach: Cacheability,
      fetch: Fetch,
      cancellation?: Cancellation,
    ): MaybePromise<RpcAnswer> => {
      const key = keyOf(call.method, params);
      const kept = cache.find(key);
      if (kept) {
        repeated();
        return { result: kept, repeated };
      }
      if (reach.kind !== 'head') counted.misses++;
      const asked = store && mayBeStored(reach, finality) ? storedOr(store, key, fetch, counted) : fetch;
      return join(key, reach, asked, cancellation);
    },
  };
};
