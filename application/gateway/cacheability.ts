import { isHash, isQuantity, isRecord } from '../../domain/rpc-value.js';
import { type Method, methods } from './methods.js';

/**
 * Part of the chain that an answer depends on. `always`: no part; `hash`: a block identified by its hash; `height`:
 * the chain up to a height; `head`: the newest block; `transaction`: the block of the transaction; `open`: pending or
 * unknown data (such an answer is never cached).
 */
export type Cacheability =
  | { readonly kind: 'always' | 'hash' | 'head' | 'transaction' | 'open' }
  | { readonly kind: 'height'; readonly height: number };

const always: Cacheability = { kind: 'always' };
const hash: Cacheability = { kind: 'hash' };
const head: Cacheability = { kind: 'head' };
const transaction: Cacheability = { kind: 'transaction' };
const open: Cacheability = { kind: 'open' };

const cacheabilityOfBlock = (value: unknown): Cacheability => {
  if (value === 'earliest') return { kind: 'height', height: 0 };
  if (value === 'pending') return open;
  // Hashes are tested first, because most hashes also parse as quantities.
  if (isHash(value)) return hash;
  if (isQuantity(value)) return { kind: 'height', height: Number(value) };
  if (!isRecord(value)) return head;
  // Depends on the head although the block is given by its hash: with `requireCanonical`, a reorg changes the answer.
  if (value.requireCanonical === true) return head;
  return value.blockHash === undefined ? cacheabilityOfBlock(value.blockNumber) : hash;
};

const cacheabilityOfFilter = (value: unknown): Cacheability => {
  const { fromBlock, toBlock, blockhash, blockHash } = isRecord(value) ? value : {};
  if ((blockHash ?? blockhash) != null) return hash;
  const ends = [fromBlock, toBlock].map(cacheabilityOfBlock);
  if (ends.some(({ kind }) => kind === 'open')) return open;
  const heights = ends.map((end) => (end.kind === 'height' ? end.height : Number.NaN));
  const height = Math.max(...heights);
  return Number.isNaN(height) ? head : { kind: 'height', height };
};

/** Expensive node methods that the service's own queries call and the gateway does not offer. */
const expensive = ['debug_traceTransaction', 'trace_transaction'];

const blockNames = ['block', 'block number', 'block hash'];

type Rule = (params: readonly unknown[]) => Cacheability;

const ruleOf = ({ validity, params }: Method): Rule => {
  if (validity === 'never') return () => open;
  if (validity === 'constant') return () => always;
  if (validity === 'now') return () => head;
  if (validity === 'transaction') return () => transaction;
  const place = params.findIndex((param) => blockNames.includes(param.name));
  return place < 0 ? (given) => cacheabilityOfFilter(given[0]) : (given) => cacheabilityOfBlock(given[place]);
};

const rules = new Map<string, Rule>([
  ...methods.map((method): [string, Rule] => [method.nodeName, ruleOf(method)]),
  ...expensive.map((name): [string, Rule] => [name, () => head]),
]);

/** Returns the part of the chain that the answer to a call depends on; `name` is the method's name on nodes. */
export const cacheabilityOf = (name: string, params: readonly unknown[]): Cacheability =>
  rules.get(name)?.(params) ?? open;
