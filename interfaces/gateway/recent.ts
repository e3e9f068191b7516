import { createBoundedCache } from '../../application/async/bounded-cache.js';
import type { RpcAnswer } from '../../application/ports/node.js';
import { scan } from './scan.js';

/** Limits that keep the answers within a few megabytes. */
const most = 500;
const maxRequestLength = 512;
const maxAnswerLength = 4096;

/** Text before the id in the question, and text after the id in the answer. */
type Kept = {
  readonly before: string;
  readonly answer: string;
  readonly cost: number;
  readonly repeated: () => boolean;
};
/** Range of the plain number after the first `"id":` of a text. */
type Place = { readonly start: number; readonly end: number };

const idKey = '"id":';
const [zero, nine] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];

/** Tells whether a number ends before this character; a fraction or an exponent would go on. */
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
  // A number with a leading zero is not JSON.
  const isNumber = end > start && (text.charCodeAt(start) !== zero || end === start + 1) && endsNumber(text[end]);
  return isNumber ? { start, end } : null;
};

/** Returns null when the first `"id":` is not the request's own id but one inside its parameters. */
const ownPlaceIn = (text: string) => {
  const place = placeIn(text);
  return place && scan(text).idAt === place.start ? place : null;
};

/**
 * Keeps short answers that never change by the text of the question without its id, so that a repeated question is
 * answered without parsing. Only questions whose first `"id":` is their own are kept, so `find` may look at the first.
 */
export const createRecent = () => {
  /** Answers by the text after the question's id. */
  const kept = createBoundedCache<string, Kept>(most);
  let isEmpty = true;
  return {
    /** Returns the whole answer and its cost; null unless the same question was kept, perhaps with another id. */
    find: (question: Buffer): { readonly answer: string; readonly cost: number } | null => {
      if (isEmpty || question.length > maxRequestLength) return null;
      const text = question.toString();
      const place = placeIn(text);
      const found = place && kept.get(text.slice(place.end));
      if (!found || found.before.length !== place.start || !text.startsWith(found.before)) return null;
      if (!found.repeated()) return null;
      return {
        answer: `{"jsonrpc":"2.0","id":${text.slice(place.start, place.end)}${found.answer}`,
        cost: found.cost,
      };
    },
    /** Keeps the answer to a question if both are short and the answer never changes. */
    keep: (question: Buffer, answer: RpcAnswer, cost: number): void => {
      if (!('result' in answer) || !answer.repeated) return;
      if (question.length > maxRequestLength || answer.result.length > maxAnswerLength) return;
      const text = question.toString();
      // A question that is not ASCII is not kept, because a later one of invalid bytes might decode to the same text.
      if (text.length !== question.length) return;
      const place = ownPlaceIn(text);
      if (!place) return;
      const result = Buffer.from(answer.result).toString('latin1');
      const { repeated } = answer;
      isEmpty = false;
      const before = text.slice(0, place.start);
      kept.set(text.slice(place.end), { before, answer: `,"result":${result}}`, cost, repeated });
    },
  };
};
