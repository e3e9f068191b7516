import { createHash } from 'node:crypto';
import type { Cell, Slice } from '@ton/core';
import type { Documents } from '../../../../application/ports/documents.js';
import { descriptionOf, type TokenDescription } from '../../../../domain/token-description.js';
import { isRaw, type Raw } from '../../../nodes/raw.js';

/** Forms of content and of its values (TEP-64), by their first byte. */
const [onChain, offChain] = [0, 1];
const [snake, chunked] = [0, 1];
const keyBits = 256;
const chunkBits = 32;
const maxBytes = 16 * 1024;
const usualDecimals = 9;

/** Content of a jetton as its master gives it. */
export type Content = { readonly uri: string; readonly said: Raw };

const bitsOf = (value: bigint, count: number) => value.toString(2).padStart(count, '0');
const keyOf = (name: string) => bitsOf(BigInt(`0x${createHash('sha256').update(name).digest('hex')}`), keyBits);

const unary = (slice: Slice) => {
  let count = 0;
  while (slice.loadBit()) count++;
  return count;
};
/** Reads the bits that all keys of a part of a dictionary begin with. */
const labelIn = (slice: Slice, most: number): string => {
  const lengthBits = most.toString(2).length;
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
 * Finds a value in a dictionary by walking to its key alone: parts of a dictionary may be the same cell, so that a small
 * one may have more keys than can be read.
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

/** Reads the bytes of a chain of cells, up to a bound. */
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
/** Returns a URI; empty if it may have been cut. */
const uriIn = (text = '') => (Buffer.byteLength(text) < maxBytes ? text : '');

const valueIn = (slice: Slice): string | undefined => {
  const value = slice.remainingBits === 0 && slice.remainingRefs > 0 ? slice.loadRef().beginParse() : slice;
  const form = value.loadUint(8);
  if (form === snake) return textIn(snakeBytes(value));
  return form === chunked ? textIn(chunkedBytes(value)) : undefined;
};

/** Reads a value of the dictionary; undefined where it is missing or malformed. */
const valueNamed = (dictionary: Cell, name: string): string | undefined => {
  try {
    const found = find(dictionary, keyOf(name));
    return found ? valueIn(found) : undefined;
  } catch {
    return undefined;
  }
};

const readable: Readonly<Record<number, (slice: Slice) => Content>> = {
  [offChain]: (slice) => ({ uri: uriIn(textIn(snakeBytes(slice))), said: {} }),
  [onChain]: (slice) => {
    const dictionary = slice.loadMaybeRef();
    const value = (name: string) => (dictionary ? valueNamed(dictionary, name) : undefined);
    const [name, symbol, decimals] = [value('name'), value('symbol'), value('decimals')];
    return { uri: uriIn(value('uri')), said: { name, symbol, decimals } };
  },
};

/** Reads the content of a jetton; nothing where it has none, or in a form that is not known. */
export const readContent = (cell: Cell): Content => {
  const none = { uri: '', said: {} };
  try {
    const slice = cell.beginParse();
    return readable[slice.loadUint(8)]?.(slice) ?? none;
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

/** Adds what the document says; content on the chain goes before it, as TEP-64 demands. */
export const describeContent = async (
  { uri, said }: Content,
  read: Documents['read'],
): Promise<{ uri: string; description: TokenDescription }> => {
  const document = uri === '' ? {} : fieldsIn(await read(uri));
  const own = descriptionOf(said);
  const found = { ...descriptionOf(document ?? {}), ...own };
  const isSaid = document !== null && (found.name !== undefined || found.symbol !== undefined);
  return { uri, description: isSaid ? { decimals: usualDecimals, ...found } : found };
};
