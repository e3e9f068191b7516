import { isHash, isQuantity, isRecord } from '../../domain/rpc-value.js';
import { type Method, methods } from './methods.js';

/**
 * What of the chain an answer depends on. always: nothing; hash: a block that is named by its hash; height: the chain up
 * to there; head: its newest block; transaction: the block that includes it; open: what is not settled.
 */
export type Reach =
  | { readonly kind: 'always' | 'hash' | 'head' | 'transaction' | 'open' }
  | { readonly kind: 'height'; readonly height: number };

const always: Reach = { kind: 'always' };
const hash: Reach = { kind: 'hash' };
const head: Reach = { kind: 'head' };
const transaction: Reach = { kind: 'transaction' };
const open: Reach = { kind: 'open' };

const reachOfBlock = (value: unknown): Reach => {
  if (value === 'earliest') return { kind: 'height', height: 0 };
  if (value === 'pending') return open;
  // Most hashes read like quantities, which no height ever reaches.
  if (isHash(value)) return hash;
  if (isQuantity(value)) return { kind: 'height', height: Number(value) };
  if (!isRecord(value)) return head;
  // Whether it is still part of the chain may change.
  if (value.requireCanonical === true) return head;
  return value.blockHash === undefined ? reachOfBlock(value.blockNumber) : hash;
};

const reachOfFilter = (value: unknown): Reach => {
  const { fromBlock, toBlock, blockhash, blockHash = blockhash } = isRecord(value) ? value : {};
  if (blockHash != null) return hash;
  const ends = [fromBlock, toBlock].map(reachOfBlock);
  if (ends.some(({ kind }) => kind === 'open')) return open;
  const heights = ends.map((end) => (end.kind === 'height' ? end.height : Number.NaN));
  const height = Math.max(...heights);
  return Number.isNaN(height) ? head : { kind: 'height', height };
};

/** What is asked for besides the methods of the gateway, and costs a node much. */
const dear = ['debug_traceTransaction', 'trace_transaction'];

const blockNames = ['block', 'block number', 'block hash'];

type Rule = (params: readonly unknown[]) => Reach;

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
  ...dear.map((name): [string, Rule] => [name, () => head]),
]);

/** `name` as nodes call the method. */
export const reachOf = (name: string, params: readonly unknown[]): Reach => rules.get(name)?.(params) ?? open;
