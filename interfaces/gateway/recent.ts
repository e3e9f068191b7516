import type { RpcAnswer } from '../../application/ports/node.js';
import { scan } from './scan.js';

/** So many, of questions and answers of this length: a few megabytes at most. */
const most = 500;
const longestQuestion = 512;
const longestAnswer = 4096;

type Kept = { readonly result: string; readonly repeated: () => void };
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

/** The question but for its id. The first key that reads like one ends where the id was, so no two places give the same. */
const questionIn = (text: string, { start, end }: Place) => text.slice(0, start) + text.slice(end);

/** Answers that never change, by the text of the question: one that comes again and again need not be read to be answered. */
export const createRecent = () => {
  const kept = new Map<string, Kept>();
  return {
    /** The whole answer; null unless the same was asked before, perhaps under another id. */
    find: (question: Buffer): string | null => {
      if (kept.size === 0 || question.length > longestQuestion) return null;
      const text = question.toString('latin1');
      const place = placeIn(text);
      const found = place && kept.get(questionIn(text, place));
      if (!found) return null;
      found.repeated();
      return `{"jsonrpc":"2.0","id":${text.slice(place.start, place.end)},"result":${found.result}}`;
    },
    /** What one question was answered with. */
    keep: (question: Buffer, answer: RpcAnswer): void => {
      if (!('result' in answer) || !answer.repeated) return;
      if (question.length > longestQuestion || answer.result.length > longestAnswer) return;
      const text = question.toString('latin1');
      const place = placeIn(text);
      // Else it is another number that stands there, deeper in.
      if (!place || scan(text).idAt !== place.start) return;
      if (kept.size >= most) kept.clear();
      kept.set(questionIn(text, place), {
        result: Buffer.from(answer.result).toString('latin1'),
        repeated: answer.repeated,
      });
    },
  };
};
