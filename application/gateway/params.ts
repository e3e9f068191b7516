import { filterFault } from '../../domain/log-filter.js';
import {
  blockTags,
  isAddress,
  isBlockTag,
  isData,
  isHash,
  isNamedBlock,
  isQuantity,
  isRecord,
  unknownMember,
} from '../../domain/rpc-value.js';

/** Kind of a parameter: its OpenRPC schema and its validation. `fault` returns null for a valid value. */
export type ParamKind = { readonly schema: object; fault(value: unknown): string | null };
export type Param = {
  readonly name: string;
  readonly kind: ParamKind;
  readonly required: boolean;
  /**
   * Value sent to nodes for an omitted argument, because older nodes require the argument; absent if no node requires
   * it.
   */
  readonly default?: string;
};

const kind = (schema: object, isValid: (value: unknown) => boolean, rule: string): ParamKind => ({
  schema,
  fault: (value) => (isValid(value) ? null : `must be ${rule}`),
});

const quantitySchema = { type: 'string', pattern: '^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,63})$' };
const dataSchema = { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' };
const addressSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const hashSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' };
const tagSchema = { type: 'string', enum: [...blockTags] };
const namedBlockSchema = {
  type: 'object',
  properties: { blockHash: hashSchema, blockNumber: quantitySchema, requireCanonical: { type: 'boolean' } },
};

export const quantity = kind(quantitySchema, isQuantity, 'a quantity: 0x and hex digits without leading zeros');
export const data = kind(dataSchema, isData, 'byte data: 0x and two hex digits a byte');
export const address = kind(addressSchema, isAddress, 'an address: 0x and 40 hex digits');
export const hash = kind(hashSchema, isHash, 'a hash: 0x and 64 hex digits');
export const flag = kind({ type: 'boolean' }, (value) => typeof value === 'boolean', 'true or false');
export const text = kind({ type: 'string' }, (value) => typeof value === 'string', 'a string');
export const anything = kind({}, (value) => value != null, 'anything but null');
export const object = kind({ type: 'object' }, isRecord, 'an object');

/** Storage position, which clients send as a quantity or as all 32 bytes. */
export const position = kind(
  { oneOf: [quantitySchema, hashSchema] },
  (value) => isQuantity(value) || isHash(value),
  'a quantity, or 32 bytes in hex',
);
export const block = kind(
  { oneOf: [quantitySchema, tagSchema, namedBlockSchema] },
  (value) => isQuantity(value) || isBlockTag(value) || isNamedBlock(value),
  `a block: a quantity, or one of ${blockTags.join(', ')}`,
);
export const blockNumber = kind(
  { oneOf: [quantitySchema, tagSchema] },
  (value) => isQuantity(value) || isBlockTag(value),
  `a block number: a quantity, or one of ${blockTags.join(', ')}`,
);
export const blockOrHash = kind(
  { oneOf: [quantitySchema, tagSchema, hashSchema, namedBlockSchema] },
  (value) => isHash(value) || isQuantity(value) || isBlockTag(value) || isNamedBlock(value),
  `a block: a quantity, a hash, or one of ${blockTags.join(', ')}`,
);
/** Number of blocks, which some clients send as a JSON number. */
export const count = kind(
  { oneOf: [quantitySchema, { type: 'integer', minimum: 0 }] },
  (value) => isQuantity(value) || (Number.isSafeInteger(value) && Number(value) >= 0),
  'a quantity, or an integer of at least 0',
);
export const percentiles = kind(
  { type: 'array', items: { type: 'number' } },
  (value) => value === null || (Array.isArray(value) && value.every((one) => typeof one === 'number')),
  'a list of numbers',
);

export const callFields: Readonly<Record<string, ParamKind>> = {
  from: address,
  to: address,
  gas: quantity,
  gasPrice: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  value: quantity,
  nonce: quantity,
  data,
  input: data,
};
/** Names of call fields of newer transaction types; their values are forwarded without validation. */
const laterCallFields =
  'type chainId accessList maxFeePerBlobGas blobVersionedHashes blobs commitments proofs authorizationList'.split(' ');
const everyCallField = [...Object.keys(callFields), ...laterCallFields];
export const call: ParamKind = {
  schema: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(callFields).map(([name, { schema }]) => [name, schema])),
  },
  fault: (value) => {
    if (!isRecord(value)) return 'must be an object';
    const unknown = unknownMember(value, everyCallField);
    if (unknown !== null) return unknown;
    for (const [name, field] of Object.entries(callFields)) {
      const fault = value[name] == null ? null : field.fault(value[name]);
      if (fault) return `${name} ${fault}`;
    }
    return null;
  },
};

const logFields = {
  address: { oneOf: [addressSchema, { type: 'array', items: addressSchema, maxItems: 1000 }] },
  topics: { type: 'array', maxItems: 4, items: { oneOf: [{ type: 'null' }, hashSchema, { type: 'array' }] } },
};
export const filter: ParamKind = {
  schema: {
    type: 'object',
    properties: { ...logFields, fromBlock: blockNumber.schema, toBlock: blockNumber.schema, blockhash: hashSchema },
  },
  fault: filterFault,
};

export const subscriptionNames = ['newHeads', 'logs', 'newPendingTransactions', 'syncing'] as const;
export type SubscriptionName = (typeof subscriptionNames)[number];
export const subscriptionName = kind(
  { type: 'string', enum: [...subscriptionNames] },
  (value) => subscriptionNames.some((name) => name === value),
  `one of ${subscriptionNames.join(', ')}`,
);

const namesOf = (params: readonly Param[]) =>
  params.length === 0 ? '' : ` (${params.map(({ name }) => name).join(', ')})`;

/** Returns the reason why parameters are invalid, naming the argument; null for valid parameters. */
export const paramsFault = (params: readonly Param[], given: readonly unknown[]): string | null => {
  if (given.length > params.length) return `too many arguments, want at most ${params.length}${namesOf(params)}`;
  for (let i = 0; i < params.length; i++) {
    const { name, kind: expected, required } = params[i] as Param;
    const value = given[i];
    if (value == null && required)
      return `missing value for required argument ${i} (${name}): ${expected.fault(value)}`;
    const fault = value == null ? null : expected.fault(value);
    if (fault) return `invalid argument ${i} (${name}): ${fault}`;
  }
  return null;
};

/**
 * Fills in the defaults of omitted arguments, so that calls that omit an argument and calls that pass its default share
 * a cache entry.
 */
export const withDefaults = (params: readonly Param[], given: readonly unknown[]): readonly unknown[] =>
  params.every(({ default: value }, i) => value === undefined || given[i] != null)
    ? given
    : params.map(({ default: value }, i) => given[i] ?? value);
