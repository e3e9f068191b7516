import type { RpcAnswer } from '../../application/ports/node.js';
import { scan } from './scan.js';

/** So many, of questions and answers of this length: a few megabytes at most. */
const most = 500;
const longestQuestion = 512;
const longestAnswer = 4096;

/** What stands before the id in the question, and what follows it in the answer. */
type Kept = { readonly before: string; readonly answer: string; readonly repeated: () => void };
/** Where a plain number stands as the first id that a text names. */
type Place = { readonly start: number; readonly end: number };

const idKey = '"id":';
const [zero, nine] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];

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
  // What has more digits after a zero is no JSON.
  const isNumber = end > start && (text.charCodeAt(start) !== zero || end === start + 1);
  return isNumber ? { start, end } : null;
};

/** Null where it is another number that stands there, deeper in. */
const ownPlaceIn = (text: string) => {
  const place = placeIn(text);
  return place && scan(text).idAt === place.start ? place : null;
};

/**
 * Answers that never change, by the text of the question but for its id: one that comes again and again need not be read to
 * be answered. The first key that reads like one stands before the id, so a text has one place only where it can be.
 */
export const createRecent = () => {
  /** By what follows the id. */
  const kept = new Map<string, Kept>();
  return {
    /** The whole answer; null unless the same was asked before, perhaps under another id. */
    find: (question: Buffer): string | null => {
      if (kept.size === 0 || question.length > longestQuestion) return null;
      const text = question.toString();
      const place = placeIn(text);
      const found = place && kept.get(text.slice(place.end));
      if (!found || found.before.length !== place.start || !text.startsWith(found.before)) return null;
      found.repeated();
      return `{"jsonrpc":"2.0","id":${text.slice(place.start, place.end)}${found.answer}`;
    },
    /** What one question was answered with. */
    keep: (question: Buffer, answer: RpcAnswer): void => {
      if (!('result' in answer) || !answer.repeated) return;
      if (question.length > longestQuestion || answer.result.length > longestAnswer) return;
      const text = question.toString();
      // What is no text at all reads like one with strange characters.
      if (text.length !== question.length) return;
      const place = ownPlaceIn(text);
      if (!place) return;
      if (kept.size >= most) kept.clear();
      const result = Buffer.from(answer.result).toString('latin1');
      const { repeated } = answer;
      kept.set(text.slice(place.end), { before: text.slice(0, place.start), answer: `,"result":${result}}`, repeated });
    },
  };
};
