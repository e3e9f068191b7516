import {
  backslash,
  closeList,
  closeObject,
  colon,
  comma,
  openList,
  openObject,
  quote,
} from '../../../domain/json-bytes.js';

/** JSON-RPC answer with its result or error as unparsed bytes. `id` is the JSON text of the id. */
export type Envelope =
  | {
      readonly id: string | null;
      readonly result: Buffer;
      /** Chunks of the result as received; absent if the answer was joined. Reading `result` joins the chunks. */
      readonly pieces?: readonly Buffer[];
    }
  | { readonly id: string | null; readonly error: Buffer };

const maxTail = 160;

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const afterSpace = (bytes: Buffer, from: number) => {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
};

/** Returns the end of the string that starts at the quote; -1 if the string is incomplete or contains escapes. */
const endOfText = (bytes: Buffer, start: number) => {
  const end = bytes.indexOf(quote, start + 1);
  return end < 0 || bytes.subarray(start, end).includes(backslash) ? -1 : end + 1;
};

const endOfToken = (bytes: Buffer, start: number) => {
  if (bytes[start] === quote) return endOfText(bytes, start);
  let at = start;
  while (at < bytes.length && bytes[at] !== comma && bytes[at] !== closeObject && !isSpace(bytes[at])) at++;
  return at > start && bytes[start] !== openObject && bytes[start] !== openList ? at : -1;
};

/** Matches members of an answer that follow the result. Most nodes write these members before the result. */
const tailPattern = /(?:\s*,\s*"(?:id|jsonrpc)"\s*:\s*(?:"[^"\\]*"|-?\d+|null)){0,2}\s*\}\s*$/;
const idInTail = /"id"\s*:\s*("[^"\\]*"|-?\d+|null)/;

const isEnclosed = (first: number | undefined, last: number | undefined) => {
  if (first === openObject) return last === closeObject;
  if (first === openList) return last === closeList;
  return first === quote && last === quote;
};
const isWhole = (value: Buffer) => {
  if (value.length > 1 && isEnclosed(value[0], value.at(-1))) return true;
  return value.length < 32 && /^(?:null|true|false|-?\d[\d.eE+-]*)$/.test(value.toString('latin1'));
};

/** Members of an answer before its result or error, which begins at `start`. */
type Opening = { readonly kind: 'result' | 'error'; readonly id: string | null; readonly start: number };
type Ending = { readonly at: number; readonly id: string | null };
type Found = Pick<Opening, 'kind' | 'id'> & { readonly value: Buffer };

const endingOf = (bytes: Buffer, from: number): Ending | null => {
  const tailFrom = Math.max(from, bytes.length - maxTail);
  const matched = tailPattern.exec(bytes.toString('latin1', tailFrom));
  return matched && { at: tailFrom + matched.index, id: idInTail.exec(matched[0])?.[1] ?? null };
};

type Member = { readonly key: string; readonly start: number };

/** Reads the key at an offset and finds the start of its value; null if there is no key. */
const memberAt = (bytes: Buffer, at: number): Member | null => {
  const end = bytes[at] === quote ? endOfText(bytes, at) : -1;
  const mark = end < 0 ? -1 : afterSpace(bytes, end);
  if (bytes[mark] !== colon) return null;
  return { key: bytes.toString('latin1', at + 1, end - 1), start: afterSpace(bytes, mark + 1) };
};

/** Reads only the members before the result, so that a large answer costs no more than a small one. */
const openingOf = (bytes: Buffer): Opening | null => {
  let at = afterSpace(bytes, 0);
  let id: string | null = null;
  // The first member follows the opening brace, each further one a comma.
  for (let before = openObject; bytes[at] === before; before = comma) {
    const member = memberAt(bytes, afterSpace(bytes, at + 1));
    if (!member) return null;
    const { key, start } = member;
    if (key === 'result' || key === 'error') return { kind: key, id, start };
    const end = endOfToken(bytes, start);
    if (end < 0) return null;
    if (key === 'id') id = bytes.toString('latin1', start, end);
    at = afterSpace(bytes, end);
  }
  return null;
};

const scan = (bytes: Buffer): Found | null => {
  const opening = openingOf(bytes);
  const ending = opening && endingOf(bytes, opening.start);
  if (!ending) return null;
  const value = bytes.subarray(opening.start, ending.at);
  return isWhole(value) ? { kind: opening.kind, id: opening.id ?? ending.id, value } : null;
};

/** Parses an answer that `scan` does not recognize. */
const parse = (bytes: Buffer): Found | null => {
  try {
    const { id = null, result, error } = JSON.parse(bytes.toString()) as Record<string, unknown>;
    const [kind, value] = error == null ? (['result', result] as const) : (['error', error] as const);
    return value === undefined ? null : { kind, id: JSON.stringify(id), value: Buffer.from(JSON.stringify(value)) };
  } catch {
    return null;
  }
};

/** Reads an answer; null if the bytes are not a JSON-RPC answer. */
export const readEnvelope = (bytes: Buffer): Envelope | null => {
  const scanned = scan(bytes);
  // A few nodes write `"error":null` before the result. An answer of this form is parsed as a whole.
  const isScannable = scanned !== null && (scanned.kind === 'result' || scanned.value[0] === openObject);
  const read = isScannable ? scanned : parse(bytes);
  if (!read) return null;
  const { kind, id, value } = read;
  return kind === 'result' ? { id, result: value } : { id, error: value };
};

/** Reads the members around the result from the first and last chunk alone; null if these are not enough. */
const readLong = (pieces: readonly Buffer[]): Envelope | null => {
  const [first, last] = [pieces[0] as Buffer, pieces.at(-1) as Buffer];
  const opening = openingOf(first);
  const ending = last.length < maxTail ? null : endingOf(last, 0);
  if (!opening || !ending || !isEnclosed(first[opening.start], last[ending.at - 1])) return null;
  if (opening.kind === 'error') return null;
  const own = [first.subarray(opening.start), ...pieces.slice(1, -1), last.subarray(0, ending.at)];
  let joined: Buffer | null = null;
  return {
    id: opening.id ?? ending.id,
    pieces: own,
    get result() {
      joined ??= Buffer.concat(own);
      return joined;
    },
  };
};

/** Answer size in bytes from which joining the chunks costs more than handling them separately. */
const longAnswerBytes = 32_768;

/**
 * Reads an answer from its chunks. From `longAnswerBytes` on, the chunks are joined only if a caller reads `result`.
 */
export const readPieces = (pieces: readonly Buffer[]): Envelope | null => {
  const [first] = pieces;
  if (first && pieces.length === 1) return readEnvelope(first);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return (length >= longAnswerBytes ? readLong(pieces) : null) ?? readEnvelope(Buffer.concat(pieces, length));
};
