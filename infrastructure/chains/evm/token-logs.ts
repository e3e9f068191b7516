import type { Asset, NumberedStandard } from '../../../domain/asset.js';

/** Asset and amount that a log reports as moved. */
type Piece = { readonly asset: Asset; readonly value: string };
type TokenLog = {
  readonly from: string;
  readonly to: string;
  /** Reads the moved tokens. Called only if an address is watched, because a batch may contain thousands of tokens. */
  pieces(): Iterable<Piece>;
};
type Topics = readonly string[];

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const transferSingle = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
const transferBatch = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';
/** Deposit and Withdrawal events of WETH9, emitted when an address wraps or unwraps coins. */
const deposit = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
const withdrawal = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';

export const zeroAddress = `0x${'0'.repeat(40)}`;

const digits = 64;
const wordPattern = /^[0-9a-fA-F]{64}$/;
/** Address padded with zeros to a word. A word with any other padding is not a valid address. */
const addressWordPattern = /^0{24}[0-9a-fA-F]{40}$/;

const words = (data: string) => (data.length - 2) / digits;
const wordAt = (data: string, index: number) => data.slice(2 + index * digits, 2 + (index + 1) * digits);
const number = (word: string): bigint | null => (wordPattern.test(word) ? BigInt(`0x${word}`) : null);
const party = (word: string | undefined): string | null =>
  word !== undefined && addressWordPattern.test(word) ? `0x${word.slice(24).toLowerCase()}` : null;
const partyIn = (topic: string | undefined) => party(topic?.slice(2));

const parties = (from: string | null, to: string | null, pieces: TokenLog['pieces']): TokenLog | null =>
  from && to ? { from, to, pieces } : null;

const coins = function* (contract: string, value: bigint | null): Iterable<Piece> {
  if (value !== null) yield { asset: { standard: 'erc20', contract }, value: value.toString() };
};

const erc20 = (contract: string, [, from, to]: Topics, data: string) =>
  parties(partyIn(from), partyIn(to), () => coins(contract, number(wordAt(data, 0))));

const wrapped = (contract: string, [, to]: Topics, data: string) =>
  parties(zeroAddress, partyIn(to), () => coins(contract, words(data) === 1 ? number(wordAt(data, 0)) : null));

const unwrapped = (contract: string, [, from]: Topics, data: string) =>
  parties(partyIn(from), zeroAddress, () => coins(contract, words(data) === 1 ? number(wordAt(data, 0)) : null));

const one = function* (contract: string, tokenId: bigint | null): Iterable<Piece> {
  if (tokenId !== null) yield { asset: { standard: 'erc721', contract, tokenId: tokenId.toString() }, value: '1' };
};

const erc721 = (contract: string, [, from, to, tokenId]: Topics, data: string) =>
  parties(partyIn(from), partyIn(to), () => one(contract, data === '0x' && tokenId ? number(tokenId.slice(2)) : null));

/**
 * Reads the Transfer log of contracts that are older than ERC-721. The event of these contracts has no indexed
 * parameters.
 */
const earlyErc721 = (contract: string, _: Topics, data: string) =>
  words(data) === 3
    ? parties(party(wordAt(data, 0)), party(wordAt(data, 1)), () => one(contract, number(wordAt(data, 2))))
    : null;

const pair = function* (contract: string, id: bigint | null, value: bigint | null): Iterable<Piece> {
  if (id !== null && value !== null)
    yield { asset: { standard: 'erc1155', contract, tokenId: id.toString() }, value: value.toString() };
};

const erc1155 = (contract: string, [, , from, to]: Topics, data: string) =>
  parties(partyIn(from), partyIn(to), () =>
    words(data) >= 2 ? pair(contract, number(wordAt(data, 0)), number(wordAt(data, 1))) : [],
  );

/**
 * Returns start and length, in words, of the array that word `head` points to; null unless the array lies within the
 * data.
 */
const listAt = (data: string, head: number) => {
  const offset = number(wordAt(data, head));
  if (offset === null || offset % 32n !== 0n || offset / 32n >= BigInt(Math.floor(words(data)))) return null;
  const start = Number(offset / 32n) + 1;
  const length = number(wordAt(data, start - 1));
  return length !== null && length <= words(data) - start ? { start, length: Number(length) } : null;
};

const erc1155Batch = (contract: string, [, , from, to]: Topics, data: string) =>
  parties(partyIn(from), partyIn(to), function* () {
    const [ids, values] = [listAt(data, 0), listAt(data, 1)];
    if (!ids || !values || ids.length !== values.length) return;
    for (let i = 0; i < ids.length; i++)
      yield* pair(contract, number(wordAt(data, ids.start + i)), number(wordAt(data, values.start + i)));
  });

/** Functions that read a token transfer from a log, by the log's first topic and number of topics. */
const shapes: Readonly<Record<string, (contract: string, topics: Topics, data: string) => TokenLog | null>> = {
  [`${transfer}/3`]: erc20,
  [`${transfer}/4`]: erc721,
  [`${transfer}/1`]: earlyErc721,
  [`${transferSingle}/4`]: erc1155,
  [`${transferBatch}/4`]: erc1155Batch,
  [`${deposit}/2`]: wrapped,
  [`${withdrawal}/2`]: unwrapped,
};

/** Reads a token transfer from a log; null for any other or malformed log. */
export const readTokenLog = (contract: string, topics: unknown, data: unknown): TokenLog | null => {
  if (!Array.isArray(topics) || typeof data !== 'string' || !data.startsWith('0x')) return null;
  if (!topics.every((topic) => typeof topic === 'string')) return null;
  return shapes[`${topics[0]?.toLowerCase()}/${topics.length}`]?.(contract, topics, data) ?? null;
};

const isOneOf =
  (...kinds: readonly string[]) =>
  (topics: unknown): boolean =>
    Array.isArray(topics) && kinds.includes(String(topics[0]).toLowerCase());

/** Returns whether a log may contain several tokens, whose movements then need distinct indexes. */
export const isBatch = isOneOf(transferBatch);

/** Returns whether a log reports wrapping or unwrapping of coins. Some contracts emit a Transfer event in addition. */
export const isWrapping = isOneOf(deposit, withdrawal);

/**
 * Topic filters for `eth_getLogs` that select transfers of a token to one of the receivers, keyed by standard.
 */
export const receiptTopics: Readonly<Record<NumberedStandard, (receivers: readonly string[]) => readonly unknown[]>> = {
  erc721: (receivers) => [transfer, null, receivers],
  erc1155: (receivers) => [[transferSingle, transferBatch], null, null, receivers],
};

/**
 * Topic filter for `eth_getLogs` that selects all transfers of tokens. For contracts that are older than ERC-721: their
 * event has no indexed parameters, so no filter can select the receivers.
 */
export const transferTopics: readonly unknown[] = [transfer];
