import {
  backslash,
  closeList,
  closeObject,
  colon,
  comma,
  openList,
  openObject,
  quote,
} from '../../domain/json-bytes.js';

/** What an answer of JSON-RPC holds; `id` as it is written. */
export type Envelope =
  | {
      readonly id: string | null;
      readonly result: Buffer;
      /** The same, where it is long and came in several. */
      readonly pieces?: readonly Buffer[];
    }
  | { readonly id: string | null; readonly error: Buffer };

const mostTail = 160;

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const afterSpace = (bytes: Buffer, from: number) => {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
};

/** Where a text that starts at the quote ends; -1 when it does not, or is no plain one. */
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

/** What may follow the result: the members that others write first. */
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

/** What an answer says up to its result, which starts there. */
type Opening = { readonly kind: 'result' | 'error'; readonly id: string | null; readonly start: number };
type Ending = { readonly at: number; readonly id: string | null };
type Found = Pick<Opening, 'kind' | 'id'> & { readonly value: Buffer };

const endingOf = (bytes: Buffer, from: number): Ending | null => {
  const tailFrom = Math.max(from, bytes.length - mostTail);
  const matched = tailPattern.exec(bytes.toString('latin1', tailFrom));
  return matched && { at: tailFrom + matched.index, id: idInTail.exec(matched[0])?.[1] ?? null };
};

type Member = { readonly key: string; readonly start: number };

/** The key at that place, and where its value starts; null when there is none. */
const memberAt = (bytes: Buffer, at: number): Member | null => {
  const end = bytes[at] === quote ? endOfText(bytes, at) : -1;
  const mark = end < 0 ? -1 : afterSpace(bytes, end);
  if (bytes[mark] !== colon) return null;
  return { key: bytes.toString('latin1', at + 1, end - 1), start: afterSpace(bytes, mark + 1) };
};

/** Looks at the members up to the result only, so that a large answer costs no more than a small one. */
const openingOf = (bytes: Buffer): Opening | null => {
  let at = afterSpace(bytes, 0);
  let id: string | null = null;
  // What stands before a member: the opening brace, then commas.
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

/** For what is written in no usual way. */
const parse = (bytes: Buffer): Found | null => {
  try {
    const { id = null, result, error } = JSON.parse(bytes.toString()) as Record<string, unknown>;
    const [kind, value] = error == null ? (['result', result] as const) : (['error', error] as const);
    return value === undefined ? null : { kind, id: JSON.stringify(id), value: Buffer.from(JSON.stringify(value)) };
  } catch {
    return null;
  }
};

/** Null for what is no answer of JSON-RPC. */
export const readEnvelope = (bytes: Buffer): Envelope | null => {
  const scanned = scan(bytes);
  // Some write `"error":null` beside the result.
  const isUsual = scanned !== null && (scanned.kind === 'result' || scanned.value[0] === openObject);
  const read = isUsual ? scanned : parse(bytes);
  if (!read) return null;
  const { kind, id, value } = read;
  return kind === 'result' ? { id, result: value } : { id, error: value };
};

/** Null where the first and the last do not tell. */
const readLong = (pieces: readonly Buffer[]): Envelope | null => {
  const [first, last] = [pieces[0] as Buffer, pieces.at(-1) as Buffer];
  const opening = openingOf(first);
  const ending = last.length < mostTail ? null : endingOf(last, 0);
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

/** From this length on joining costs more than handling several. */
const long = 32_768;

/** The same of what came in several pieces; a long result is joined only for those who need it whole. */
export const readPieces = (pieces: readonly Buffer[]): Envelope | null => {
  const [first] = pieces;
  if (first && pieces.length === 1) return readEnvelope(first);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return (length >= long ? readLong(pieces) : null) ?? readEnvelope(Buffer.concat(pieces, length));
};
