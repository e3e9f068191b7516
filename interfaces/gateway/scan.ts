/** What can be told of a text of JSON without reading it: the ids as they are written, and whether it is worth reading. */
export type Scanned = {
  readonly isBatch: boolean;
  /** By place in the batch; absent where there is none, or where it is no plain value. */
  readonly ids: readonly (string | undefined)[];
  /** False for what would cost more to read than any real request. */
  readonly isModest: boolean;
};

const deepest = 32;
const mostContainers = 50_000;
const longestNumber = 1000;

const opening = /\S/;

const endOfText = (text: string, start: number) => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return text.length;
};

const isIdKey = (token: string) => {
  if (token === '"id"') return true;
  if (!token.includes('\\')) return false;
  try {
    return JSON.parse(token) === 'id';
  } catch {
    return false;
  }
};

/** Walks through the text once. `level` is the depth at which requests have their members. */
const createWalk = (text: string, level: number) => {
  const ids: (string | undefined)[] = [];
  let depth = 0;
  let containers = 0;
  let place = 0;
  /** What a text at the level of members would be. */
  let next: 'key' | 'id' | 'value' = 'value';

  const token = (start: number, end: number) => {
    if (depth !== level || next === 'value') return;
    const written = text.slice(start, end);
    // As for readers of JSON, the last one counts.
    if (next === 'id') ids[place] = written;
    next = next === 'key' && isIdKey(written) ? 'id' : 'value';
  };
  const open = () => {
    if (depth === level) next = 'value';
    depth++;
    containers++;
    if (depth === level) next = 'key';
  };
  const separate = () => {
    if (depth === level) next = 'key';
    else if (depth === level - 1) place++;
  };
  const mark = (character: string) => {
    if (character === '{' || character === '[') open();
    else if (character === '}' || character === ']') depth--;
    else if (character === ',') separate();
  };
  return { ids, token, mark, isModest: () => depth <= deepest && containers <= mostContainers };
};

/** By character: 1 for what ends a token, spaces among it. */
const ends = new Uint8Array(128);
for (const character of ' \t\r\n,:{}[]"') ends[character.charCodeAt(0)] = 1;
const quote = '"'.charCodeAt(0);

const endOfPlain = (text: string, start: number) => {
  let at = start;
  while (at < text.length && ends[text.charCodeAt(at)] !== 1) at++;
  return at;
};

export const scan = (text: string): Scanned => {
  const isBatch = text.at(text.search(opening)) === '[';
  const walk = createWalk(text, isBatch ? 2 : 1);
  let at = 0;
  let isModest = true;
  while (at < text.length && isModest) {
    const isText = text.charCodeAt(at) === quote;
    const end = isText ? endOfText(text, at) : endOfPlain(text, at);
    if (end > at) {
      walk.token(at, end);
      isModest = isText || end - at <= longestNumber;
      at = end;
    } else {
      walk.mark(text[at] as string);
      isModest = walk.isModest();
      at++;
    }
  }
  return { isBatch, ids: walk.ids, isModest };
};
