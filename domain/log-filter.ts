import { blockTags, isAddress, isBlockTag, isHash, isQuantity, isRecord, unknownMember } from './rpc-value.js';

/** Filter of event logs, for a subscription or a polled filter. A `null` field matches every log. */
export type LogFilter = {
  readonly addresses: ReadonlySet<string> | null;
  /** Allowed values per topic position. A log with fewer topics than the filter has positions does not match. */
  readonly topics: readonly (ReadonlySet<string> | null)[];
  readonly fromBlock: number | null;
  readonly toBlock: number | null;
  readonly blockHash: string | null;
};

type Matched = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockNumber: string;
  readonly blockHash: string;
};

export const maxTopics = 4;
export const maxChoices = 1000;

const isListOf = (value: unknown, isOne: (one: unknown) => boolean): value is readonly string[] =>
  Array.isArray(value) && value.length <= maxChoices && value.every(isOne);

const isTopic = (value: unknown) =>
  value == null || isHash(value) || isListOf(value, (one) => one === null || isHash(one));
const isBlock = (value: unknown) => value == null || isQuantity(value) || isBlockTag(value);

const filterFields = ['address', 'topics', 'fromBlock', 'toBlock', 'blockHash', 'blockhash'] as const;

/** Returns the block hash of a filter, which may be spelled `blockHash` or `blockhash`. */
const blockHashIn = ({ blockHash, blockhash }: Readonly<Record<string, unknown>>) => blockHash ?? blockhash;

/** Describes the first error in a filter; null if the filter is valid. */
export const filterFault = (value: unknown): string | null =>
  isRecord(value) ? (unknownMember(value, filterFields) ?? fieldFault(value)) : 'must be an object';

const fieldFault = (value: Readonly<Record<string, unknown>>): string | null => {
  const { address, topics, fromBlock, toBlock } = value;
  const blockHash = blockHashIn(value);
  if (address != null && !isAddress(address) && !isListOf(address, isAddress))
    return `address must be 0x followed by 40 hex digits, or a list of at most ${maxChoices} addresses`;
  if (topics != null && !(Array.isArray(topics) && topics.length <= maxTopics && topics.every(isTopic)))
    return `topics must be a list of at most ${maxTopics}, each null, a hash or a list of at most ${maxChoices} hashes`;
  if (!isBlock(fromBlock)) return `fromBlock must be a quantity or one of ${blockTags.join(', ')}`;
  if (!isBlock(toBlock)) return `toBlock must be a quantity or one of ${blockTags.join(', ')}`;
  if (blockHash == null) return null;
  if (!isHash(blockHash)) return 'blockHash must be 0x followed by 64 hex digits';
  return fromBlock == null && toBlock == null ? null : 'blockHash cannot be combined with fromBlock or toBlock';
};

const setOf = (value: unknown): ReadonlySet<string> | null => {
  const choices = Array.isArray(value) ? value : [value];
  // An empty list, or null in a list, matches everything, as it does in Geth.
  if (choices.length === 0 || choices.some((one) => one == null)) return null;
  return new Set(choices.map((one: string) => one.toLowerCase()));
};

const heightOf = (value: unknown) => (isQuantity(value) ? Number(value) : null);

/** Parses a filter for which `filterFault` returned null. */
export const readFilter = (value: unknown): LogFilter => {
  const given = isRecord(value) ? value : {};
  const { address, topics, fromBlock, toBlock } = given;
  const blockHash = blockHashIn(given);
  return {
    addresses: setOf(address),
    topics: Array.isArray(topics) ? topics.map(setOf) : [],
    fromBlock: heightOf(fromBlock),
    toBlock: heightOf(toBlock),
    blockHash: typeof blockHash === 'string' ? blockHash.toLowerCase() : null,
  };
};

const isWithin = ({ fromBlock, toBlock, blockHash }: LogFilter, log: Matched) => {
  const height = Number(log.blockNumber);
  return (
    (fromBlock === null || height >= fromBlock) &&
    (toBlock === null || height <= toBlock) &&
    (blockHash === null || log.blockHash.toLowerCase() === blockHash)
  );
};

export const matches = (filter: LogFilter, log: Matched): boolean => {
  const { addresses, topics } = filter;
  if (addresses && !addresses.has(log.address.toLowerCase())) return false;
  if (topics.length > log.topics.length) return false;
  if (!topics.every((choices, i) => !choices || choices.has((log.topics[i] as string).toLowerCase()))) return false;
  return isWithin(filter, log);
};
