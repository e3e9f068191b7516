import { createHash } from 'node:crypto';
import type { Cell, Slice } from '@ton/core';
import type { Documents } from '../../../../application/ports/documents.js';
import { descriptionOf, type TokenDescription } from '../../../../domain/token-description.js';
import { isRaw, type Raw } from '../../../nodes/raw.js';

/** First bytes that mark the format of content and of its values (TEP-64). */
const [onChain, offChain] = [0, 1];
const [snake, chunked] = [0, 1];
const keyBits = 256;
const chunkBits = 32;
const maxBytes = 16 * 1024;
const defaultDecimals = 9;

/** Metadata of a jetton as its master returns it. `uri` is empty if there is none. */
export type Content = { readonly uri: string; readonly fields: Raw };

const bitsOf = (value: bigint, count: number) => value.toString(2).padStart(count, '0');
const keyOf = (name: string) => bitsOf(BigInt(`0x${createHash('sha256').update(name).digest('hex')}`), keyBits);

const unary = (slice: Slice) => {
  let count = 0;
  while (slice.loadBit()) count++;
  return count;
};
/** Reads the label of a dictionary node: the common prefix of all keys below it. */
const labelIn = (slice: Slice, maxLength: number): string => {
  const lengthBits = maxLength.toString(2).length;
  if (!slice.loadBit()) {
    const length = unary(slice);
    return length === 0 ? '' : bitsOf(slice.loadUintBig(length), length);
  }
  if (slice.loadBit()) {
    const bit = slice.loadBit() ? '1' : '0';
    return bit.repeat(slice.loadUint(lengthBits));
  }
  const length = slice.loadUint(lengthBits);
  return length === 0 ? '' : bitsOf(slice.loadUintBig(length), length);
};

/**
 * Returns the value of one key in a dictionary; null if it is absent. Follows only the path to the key, because
 * branches may share cells: a small dictionary may then have more keys than can be read.
 */
const find = (root: Cell, key: string): Slice | null => {
  let [cell, rest] = [root, key];
  for (;;) {
    const slice = cell.beginParse();
    const label = labelIn(slice, rest.length);
    if (!rest.startsWith(label)) return null;
    rest = rest.slice(label.length);
    if (rest === '') return slice;
    cell = cell.refs[Number(rest[0])] as Cell;
    rest = rest.slice(1);
  }
};

/** Reads at most `maxBytes` bytes from a chain of cells. */
const snakeBytes = (first: Slice): Buffer => {
  const parts: Buffer[] = [];
  let size = 0;
  for (let slice: Slice | null = first; slice && size < maxBytes; ) {
    const part = slice.loadBuffer(Math.floor(slice.remainingBits / 8));
    parts.push(part);
    size += part.length;
    slice = slice.remainingRefs > 0 ? slice.loadRef().beginParse() : null;
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
};
const chunkedBytes = (slice: Slice): Buffer => {
  const chunks = slice.loadMaybeRef();
  const parts: Buffer[] = [];
  let size = 0;
  while (chunks && size < maxBytes) {
    const found = find(chunks, bitsOf(BigInt(parts.length), chunkBits));
    const part = found && snakeBytes(found.loadRef().beginParse());
    if (!part || part.length === 0) break;
    parts.push(part);
    size += part.length;
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
};
const textIn = (bytes: Buffer) => bytes.toString('utf8').replaceAll('\0', '');
/** Returns the URI; an empty string if the URI reaches `maxBytes` and may therefore have been cut. */
const uriIn = (text = '') => (Buffer.byteLength(text) < maxBytes ? text : '');

const valueIn = (slice: Slice): string | undefined => {
  const value = slice.remainingBits === 0 && slice.remainingRefs > 0 ? slice.loadRef().beginParse() : slice;
  const form = value.loadUint(8);
  if (form === snake) return textIn(snakeBytes(value));
  return form === chunked ? textIn(chunkedBytes(value)) : undefined;
};

/** Reads a named value of the dictionary; undefined if it is missing or malformed. */
const valueNamed = (dictionary: Cell, name: string): string | undefined => {
  try {
    const found = find(dictionary, keyOf(name));
    return found ? valueIn(found) : undefined;
  } catch {
    return undefined;
  }
};

const readers: Readonly<Record<number, (slice: Slice) => Content>> = {
  [offChain]: (slice) => ({ uri: uriIn(textIn(snakeBytes(slice))), fields: {} }),
  [onChain]: (slice) => {
    const dictionary = slice.loadMaybeRef();
    const value = (name: string) => (dictionary ? valueNamed(dictionary, name) : undefined);
    const [name, symbol, decimals] = [value('name'), value('symbol'), value('decimals')];
    return { uri: uriIn(value('uri')), fields: { name, symbol, decimals } };
  },
};

/** Reads the metadata of a jetton; empty if it is missing, malformed or in an unknown format. */
export const readContent = (cell: Cell): Content => {
  const none = { uri: '', fields: {} };
  try {
    const slice = cell.beginParse();
    return readers[slice.loadUint(8)]?.(slice) ?? none;
  } catch {
    return none;
  }
};

const fieldsIn = (text: string | null): Raw | null => {
  try {
    const read: unknown = JSON.parse(text ?? 'null');
    return isRaw(read) ? read : null;
  } catch {
    return null;
  }
};

/** Merges the on-chain metadata with the document at its URI. On-chain values take precedence (TEP-64). */
export const describeContent = async (
  { uri, fields }: Content,
  read: Documents['read'],
): Promise<{ uri: string; description: TokenDescription }> => {
  const document = uri === '' ? {} : fieldsIn(await read(uri));
  const own = descriptionOf(fields);
  const found = { ...descriptionOf(document ?? {}), ...own };
  const isDescribed = document !== null && (found.name !== undefined || found.symbol !== undefined);
  return { uri, description: isDescribed ? { decimals: defaultDecimals, ...found } : found };
};
