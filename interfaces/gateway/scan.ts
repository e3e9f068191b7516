import { backslash, closeList, closeObject, comma, openList, openObject, quote } from '../../domain/json-bytes.js';

/** Facts about a JSON text that are found without parsing it. */
export type Scanned = {
  readonly isBatch: boolean;
  /** Ids as they are written, by place in the batch; absent where there is none, or where it is no plain value. */
  readonly ids: readonly (string | undefined)[];
  /** Index at which the last id starts; -1 when there is none. */
  readonly idAt: number;
  /** False when parsing would cost more than for any real request. */
  readonly isModest: boolean;
};

export const deepest = 32;
export const maxContainers = 50_000;
export const maxNumberDigits = 1000;

const opening = /\S/;

/** Characters that end a token, whitespace among them, are 1. */
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

/** Length of the key `id` when both letters are written as escapes. */
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

/** State of one pass over the text, which allocates only the ids. `level` is the depth of a request's members. */
type Walk = {
  readonly text: string;
  readonly level: number;
  readonly ids: (string | undefined)[];
  idAt: number;
  depth: number;
  containers: number;
  place: number;
  /** Meaning of the next token at the level of members. */
  next: 'key' | 'id' | 'value';
};

const passToken = (walk: Walk, start: number, end: number) => {
  if (walk.depth !== walk.level || walk.next === 'value') return;
  // The last of several ids counts, as it does for JSON parsers.
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

const isModest = (walk: Walk) => walk.depth <= deepest && walk.containers <= maxContainers;

/** Passes one mark or token; returns the index of the next, or -1 when the text is too costly to parse. */
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
    return isModest(walk) ? at + 1 : -1;
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
  return { isBatch, ids: walk.ids, idAt: walk.idAt, isModest: at >= 0 };
};
