import type { Waiter } from '../../application/async/cancellation.js';
import type { MaybePromise } from '../../application/async/maybe-promise.js';
import type { Reach } from '../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../application/ports/node.js';
import { createAnswerCache } from './cache.js';
import { heightIn, isEmptyish } from './checks.js';
import { type Finality, firstLookMs, unknownHeight } from './head-poller.js';
import { createFlights } from './single-flight.js';

/** What changes from block to block is shared with those who ask right after. */
const sharedMs = 100;
const longestMs = 60_000;

const isLasting = ({ kind }: Reach) => kind === 'always' || kind === 'hash';

type Fetch = (waiter: Waiter) => Promise<RpcAnswer>;

/** What was asked before, as far as it can no longer change, and what is being asked. Never null, errors or what is pending. */
export const createSharedAnswers = (cacheBytes: number, finality: Finality) => {
  const cache = createAnswerCache(cacheBytes);
  const flights = createFlights<RpcAnswer>();
  const counted = { hits: 0, misses: 0, coalesced: 0 };
  let changes = 0;

  const isFinal = (reach: Reach, answer: { readonly result: Uint8Array }) => {
    if (reach.kind === 'height') return reach.height <= finality.height();
    const height = reach.kind === 'transaction' ? heightIn(answer.result as Buffer, 'blockNumber') : null;
    return height !== null && height <= finality.height();
  };
  const remember = (key: string, reach: Reach, answer: RpcAnswer) => {
    if ('error' in answer || !(isLasting(reach) || isFinal(reach, answer))) return;
    const result = answer.result as Buffer;
    if (!isEmptyish(result)) cache.keep(key, result);
  };
  /** How long others join a question that is on its way. */
  const sharedFor = (reach: Reach) => {
    if (isLasting(reach)) return longestMs;
    if (reach.kind !== 'height') return sharedMs;
    const settled = finality.height();
    if (settled === unknownHeight) return firstLookMs;
    return reach.height <= settled ? longestMs : sharedMs;
  };
  const join = (key: string, reach: Reach, fetch: Fetch, waiter?: Waiter): Promise<RpcAnswer> => {
    const flight = isLasting(reach) ? key : `${changes} ${key}`;
    if (flights.has(flight, sharedFor(reach))) {
      counted.coalesced++;
      return flights.join(flight, waiter);
    }
    const start = async (given: Waiter) => {
      const [answer] = await Promise.all([fetch(given), isLasting(reach) || finality.known()]);
      remember(key, reach, answer);
      return answer;
    };
    // What the head decides is not remembered.
    return flights.start(flight, reach.kind === 'head' ? fetch : start, waiter);
  };

  const noteHit = () => {
    counted.hits++;
  };

  return {
    counted,
    /** Whoever has changed the chain does not share an answer from before. */
    noteChange: () => {
      changes++;
    },
    find: (
      { method }: RpcCall,
      params: string,
      reach: Reach,
      fetch: Fetch,
      waiter?: Waiter,
    ): MaybePromise<RpcAnswer> => {
      const key = `${method} ${params}`.toLowerCase();
      const kept = cache.find(key);
      if (kept) {
        noteHit();
        return { result: kept, repeated: noteHit };
      }
      if (reach.kind !== 'head') counted.misses++;
      return join(key, reach, fetch, waiter);
    },
  };
};
