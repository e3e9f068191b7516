import { isHash, isQuantity, isRecord } from '../../domain/rpc-value.js';
import { type Method, methods } from './methods.js';

/**
 * Part of the chain that an answer depends on. always: none; hash: a block named by its hash; height: the chain up to a
 * height; head: the newest block; transaction: the block that includes it; open: unsettled data.
 */
export type Cacheability =
  | { readonly kind: 'always' | 'hash' | 'head' | 'transaction' | 'open' }
  | { readonly kind: 'height'; readonly height: number };

const always: Cacheability = { kind: 'always' };
const hash: Cacheability = { kind: 'hash' };
const head: Cacheability = { kind: 'head' };
const transaction: Cacheability = { kind: 'transaction' };
const open: Cacheability = { kind: 'open' };

const reachOfBlock = (value: unknown): Cacheability => {
  if (value === 'earliest') return { kind: 'height', height: 0 };
  if (value === 'pending') return open;
  // A hash is tested first because most hashes also parse as quantities, as heights that no chain reaches.
  if (isHash(value)) return hash;
  if (isQuantity(value)) return { kind: 'height', height: Number(value) };
  if (!isRecord(value)) return head;
  // `requireCanonical` makes the answer depend on a reorganization.
  if (value.requireCanonical === true) return head;
  return value.blockHash === undefined ? reachOfBlock(value.blockNumber) : hash;
};

const reachOfFilter = (value: unknown): Cacheability => {
  const { fromBlock, toBlock, blockhash, blockHash = blockhash } = isRecord(value) ? value : {};
  if (blockHash != null) return hash;
  const ends = [fromBlock, toBlock].map(reachOfBlock);
  if (ends.some(({ kind }) => kind === 'open')) return open;
  const heights = ends.map((end) => (end.kind === 'height' ? end.height : Number.NaN));
  const height = Math.max(...heights);
  return Number.isNaN(height) ? head : { kind: 'height', height };
};

/** Expensive node methods that the gateway does not offer but the queries use. */
const expensive = ['debug_traceTransaction', 'trace_transaction'];

const blockNames = ['block', 'block number', 'block hash'];

type Rule = (params: readonly unknown[]) => Cacheability;

const ruleOf = ({ lasting, params }: Method): Rule => {
  if (lasting === 'never') return () => open;
  if (lasting === 'constant') return () => always;
  if (lasting === 'now') return () => head;
  if (lasting === 'transaction') return () => transaction;
  const place = params.findIndex((param) => blockNames.includes(param.name));
  return place < 0 ? (given) => reachOfFilter(given[0]) : (given) => reachOfBlock(given[place]);
};

const rules = new Map<string, Rule>([
  ...methods.map((method): [string, Rule] => [method.nodeName, ruleOf(method)]),
  ...expensive.map((name): [string, Rule] => [name, () => head]),
]);

/** Returns the part of the chain that the answer to a call depends on; `name` is the method's name on nodes. */
export const cacheabilityOf = (name: string, params: readonly unknown[]): Cacheability =>
  rules.get(name)?.(params) ?? open;
