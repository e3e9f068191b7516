/** How JSON-RPC of EVM nodes writes values (quantities, byte data, block parameters). Lengths are looked at first: texts may be megabytes. */

const longestQuantity = 66;
const quantityPattern = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/;
const dataPattern = /^0x[0-9a-fA-F]*$/;
const addressLength = 42;
const hashLength = 66;

export const blockTags = ['earliest', 'latest', 'pending', 'safe', 'finalized'] as const;
export type BlockTag = (typeof blockTags)[number];

const isText = (value: unknown): value is string => typeof value === 'string';

export const isQuantity = (value: unknown): value is string =>
  isText(value) && value.length <= longestQuantity && quantityPattern.test(value);

export const isData = (value: unknown): value is string =>
  isText(value) && value.length % 2 === 0 && dataPattern.test(value);

export const isAddress = (value: unknown): value is string =>
  isText(value) && value.length === addressLength && dataPattern.test(value);

export const isHash = (value: unknown): value is string =>
  isText(value) && value.length === hashLength && dataPattern.test(value);

export const isBlockTag = (value: unknown): value is BlockTag => blockTags.some((tag) => tag === value);

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A block named by an object (EIP-1898): by its hash or by its number. */
export const isNamedBlock = (value: unknown): boolean => {
  if (!isRecord(value)) return false;
  const { blockHash, blockNumber } = value;
  return blockHash === undefined ? isQuantity(blockNumber) : isHash(blockHash) && blockNumber === undefined;
};

/** What waits in a node's pool for its turn, by txpool_content: by sender and nonce. */
export const waitingInPool = (content: unknown): readonly Readonly<Record<string, unknown>>[] => {
  const queues = isRecord(content) && isRecord(content.pending) ? Object.values(content.pending) : [];
  return queues.flatMap((queue) => (isRecord(queue) ? Object.values(queue).filter(isRecord) : []));
};
