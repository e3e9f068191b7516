import { createBoundedCache } from '../../application/async/bounded-cache.js';
import type { RpcAnswer } from '../../application/ports/node.js';
import { scan } from './scan.js';

/** Limits that keep the cache of recent answers within a few megabytes. Lengths are in bytes. */
const maxAnswers = 500;
const maxRequestLength = 512;
const maxAnswerLength = 4096;

/** Cached answer. `before` is the text before the id of the request, `answer` the text after the id of the reply. */
type CachedAnswer = {
  readonly before: string;
  readonly answer: string;
  readonly cost: number;
  readonly method: string | undefined;
  /** Counts a cache hit; returns false if the answer is no longer valid. */
  readonly recordReuse: () => boolean;
};
/** Range of the integer after the first `"id":` of a text. */
type Place = { readonly start: number; readonly end: number };

const idKey = '"id":';
const [zero, nine] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];

/**
 * Returns true if the character can follow an integer. Returns false for a character that continues the number as a
 * fraction or with an exponent.
 */
const endsNumber = (character: string | undefined) => character === ',' || character === '}';

const endOfDigits = (text: string, start: number) => {
  let end = start;
  for (let code = text.charCodeAt(end); code >= zero && code <= nine; code = text.charCodeAt(end)) end++;
  return end;
};

const placeIn = (text: string): Place | null => {
  const at = text.indexOf(idKey);
  if (at < 0) return null;
  const start = at + idKey.length;
  const end = endOfDigits(text, start);
  // JSON does not allow leading zeros.
  const isNumber = end > start && (text.charCodeAt(start) !== zero || end === start + 1) && endsNumber(text[end]);
  return isNumber ? { start, end } : null;
};

/**
 * Returns the place of the request's own id, if that is the first `"id":` of the text; null if the first one is inside
 * the parameters.
 */
const ownPlaceIn = (text: string) => {
  const place = placeIn(text);
  return place && scan(text).idAt === place.start ? place : null;
};

/**
 * Creates a cache of answers that never change, within the limits above. A repeated request is recognized by its text
 * without its id, and is answered without being parsed. A request is cached only if its first `"id":` is its own id,
 * because `find` looks at the first one only.
 */
export const createRecentAnswers = () => {
  /** Cached answers, keyed by the part of the request that follows its id. */
  const kept = createBoundedCache<string, CachedAnswer>(maxAnswers);
  let isEmpty = true;
  return {
    /**
     * Returns the reply, its cost in rate-limit units and the method; null if the same request (with any id) is not
     * cached.
     */
    find: (question: Buffer): Pick<CachedAnswer, 'answer' | 'cost' | 'method'> | null => {
      if (isEmpty || question.length > maxRequestLength) return null;
      const text = question.toString();
      const place = placeIn(text);
      const found = place && kept.get(text.slice(place.end));
      if (!found || found.before.length !== place.start || !text.startsWith(found.before)) return null;
      if (!found.recordReuse()) return null;
      return {
        answer: `{"jsonrpc":"2.0","id":${text.slice(place.start, place.end)}${found.answer}`,
        cost: found.cost,
        method: found.method,
      };
    },
    /** Caches the answer to a request if the answer never changes and both are within the limits on their lengths. */
    keep: (question: Buffer, answer: RpcAnswer, cost: number, method?: string): void => {
      if (!('result' in answer) || !answer.recordReuse) return;
      if (question.length > maxRequestLength || answer.result.length > maxAnswerLength) return;
      const text = question.toString();
      // Requests with non-ASCII text are not cached, because invalid UTF-8 might decode to the same text.
      if (text.length !== question.length) return;
      const place = ownPlaceIn(text);
      if (!place) return;
      const result = Buffer.from(answer.result).toString('latin1');
      const { recordReuse } = answer;
      isEmpty = false;
      const before = text.slice(0, place.start);
      kept.set(text.slice(place.end), { before, answer: `,"result":${result}}`, cost, method, recordReuse });
    },
  };
};
