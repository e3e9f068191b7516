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

/** An answer of JSON-RPC whose result or error is left as bytes, and whose `id` is as it is written. */
export type Envelope =
  | {
      readonly id: string | null;
      readonly result: Buffer;
      /** Pieces of a long result, as they came over the network; `result` joins them. */
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

/** Finds the end of the string that starts at the quote; -1 when it has none, or holds escapes. */
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

/** Members that may follow the result; most nodes write them before it. */
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

/** Members of an answer up to its result, which begins at `start`. */
type Opening = { readonly kind: 'result' | 'error'; readonly id: string | null; readonly start: number };
type Ending = { readonly at: number; readonly id: string | null };
type Found = Pick<Opening, 'kind' | 'id'> & { readonly value: Buffer };

const endingOf = (bytes: Buffer, from: number): Ending | null => {
  const tailFrom = Math.max(from, bytes.length - maxTail);
  const matched = tailPattern.exec(bytes.toString('latin1', tailFrom));
  return matched && { at: tailFrom + matched.index, id: idInTail.exec(matched[0])?.[1] ?? null };
};

type Member = { readonly key: string; readonly start: number };

/** Reads the key at a place and finds where its value starts; null when there is no key. */
const memberAt = (bytes: Buffer, at: number): Member | null => {
  const end = bytes[at] === quote ? endOfText(bytes, at) : -1;
  const mark = end < 0 ? -1 : afterSpace(bytes, end);
  if (bytes[mark] !== colon) return null;
  return { key: bytes.toString('latin1', at + 1, end - 1), start: afterSpace(bytes, mark + 1) };
};

/** Reads only the members up to the result, so that a large answer costs no more than a small one. */
const openingOf = (bytes: Buffer): Opening | null => {
  let at = afterSpace(bytes, 0);
  let id: string | null = null;
  // A member follows the opening brace or, from the second on, a comma.
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

/** Parses an answer that is written in an unusual way. */
const parse = (bytes: Buffer): Found | null => {
  try {
    const { id = null, result, error } = JSON.parse(bytes.toString()) as Record<string, unknown>;
    const [kind, value] = error == null ? (['result', result] as const) : (['error', error] as const);
    return value === undefined ? null : { kind, id: JSON.stringify(id), value: Buffer.from(JSON.stringify(value)) };
  } catch {
    return null;
  }
};

/** Reads an answer; null when the bytes are no answer of JSON-RPC. */
export const readEnvelope = (bytes: Buffer): Envelope | null => {
  const scanned = scan(bytes);
  // A few nodes write `"error":null` beside the result.
  const isUsual = scanned !== null && (scanned.kind === 'result' || scanned.value[0] === openObject);
  const read = isUsual ? scanned : parse(bytes);
  if (!read) return null;
  const { kind, id, value } = read;
  return kind === 'result' ? { id, result: value } : { id, error: value };
};

/** Reads a long answer from its first and last piece; null when these are not enough. */
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

/** Length from which joining the pieces costs more than keeping several. */
const long = 32_768;

/** Reads an answer that came in pieces; those of a long result are joined only for a caller who needs it whole. */
export const readPieces = (pieces: readonly Buffer[]): Envelope | null => {
  const [first] = pieces;
  if (first && pieces.length === 1) return readEnvelope(first);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return (length >= long ? readLong(pieces) : null) ?? readEnvelope(Buffer.concat(pieces, length));
};
