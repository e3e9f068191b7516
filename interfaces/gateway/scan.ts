import { backslash, closeList, closeObject, comma, openList, openObject, quote } from '../../domain/json-bytes.js';

/** Properties of the text of a JSON-RPC message that are determined without parsing it. */
export type Scanned = {
  readonly isBatch: boolean;
  /** JSON text of each id, by index in the batch; undefined if there is no id, or if it is an object or array. */
  readonly ids: readonly (string | undefined)[];
  /** Index in the text at which the value of the last id starts; -1 if there is none. */
  readonly idAt: number;
  /** False if the text exceeds a limit below and would be too costly to parse. */
  readonly isWithinLimits: boolean;
};

export const maxDepth = 32;
export const maxContainers = 50_000;
export const maxNumberDigits = 1000;

const opening = /\S/;

/** Lookup table by character code: 1 for whitespace and other characters that end a token. */
const ends = new Uint8Array(128);
for (const character of ' \t\r\n,:{}[]"') ends[character.charCodeAt(0)] = 1;

const endOfText = (text: string, start: number) => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return text.length;
};

const endOfPlain = (text: string, start: number) => {
  let at = start;
  while (at < text.length && ends[text.charCodeAt(at)] !== 1) at++;
  return at;
};

/** Length of the key `id` with both letters written as Unicode escapes. */
const maxIdKeyLength = '"\\u0069\\u0064"'.length;

const isIdKey = (text: string, start: number, end: number) => {
  if (end - start === 4) return text.startsWith('"id"', start);
  if (end - start > maxIdKeyLength) return false;
  const token = text.slice(start, end);
  if (!token.includes('\\')) return false;
  try {
    return JSON.parse(token) === 'id';
  } catch {
    return false;
  }
};

/**
 * State of the single pass over the text, which allocates only the ids. `level` is the nesting depth of the members of
 * a request: 1, or 2 in a batch.
 */
type Walk = {
  readonly text: string;
  readonly level: number;
  readonly ids: (string | undefined)[];
  idAt: number;
  depth: number;
  containers: number;
  place: number;
  /** Meaning of the next token at the level of a request's members. */
  next: 'key' | 'id' | 'value';
};

const passToken = (walk: Walk, start: number, end: number) => {
  if (walk.depth !== walk.level || walk.next === 'value') return;
  // Overwrites the id that was found before in the same request, because the last of several ids counts, as in
  // JSON.parse.
  if (walk.next === 'id') {
    walk.ids[walk.place] = walk.text.slice(start, end);
    walk.idAt = start;
  }
  walk.next = walk.next === 'key' && isIdKey(walk.text, start, end) ? 'id' : 'value';
};

const passOpening = (walk: Walk) => {
  if (walk.depth === walk.level) walk.next = 'value';
  walk.depth++;
  walk.containers++;
  if (walk.depth === walk.level) walk.next = 'key';
};

const passComma = (walk: Walk) => {
  if (walk.depth === walk.level) walk.next = 'key';
  else if (walk.depth === walk.level - 1) walk.place++;
};

const passMark = (walk: Walk, code: number) => {
  if (code === openObject || code === openList) passOpening(walk);
  else if (code === closeObject || code === closeList) walk.depth--;
  else if (code === comma) passComma(walk);
};

const isWithinLimits = (walk: Walk) => walk.depth <= maxDepth && walk.containers <= maxContainers;

/** Consumes one structural character or token. Returns the index of the next, or -1 if the text exceeds a limit. */
const step = (walk: Walk, at: number): number => {
  const { text } = walk;
  const code = text.charCodeAt(at);
  if (code === quote) {
    const end = endOfText(text, at);
    passToken(walk, at, end);
    return end;
  }
  if (ends[code] === 1) {
    passMark(walk, code);
    return isWithinLimits(walk) ? at + 1 : -1;
  }
  const end = endOfPlain(text, at);
  passToken(walk, at, end);
  return end - at > maxNumberDigits ? -1 : end;
};

export const scan = (text: string): Scanned => {
  const isBatch = text.at(text.search(opening)) === '[';
  const level = isBatch ? 2 : 1;
  const walk: Walk = { text, level, ids: [], idAt: -1, depth: 0, containers: 0, place: 0, next: 'value' };
  let at = 0;
  while (at >= 0 && at < text.length) at = step(walk, at);
  return { isBatch, ids: walk.ids, idAt: walk.idAt, isWithinLimits: at >= 0 };
};
