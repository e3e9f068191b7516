import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Interest, Movement } from '../../../application/ports/chain.js';
import type { Asset } from '../../../domain/asset.js';
import { evmChain } from '../../../infrastructure/chains/evm/connector.js';
import { silent } from '../silent.js';
import { addressOf, type ScriptedTransaction, zeroAddress } from './evm-chain.js';
import { addressWord, tokenLog, word } from './evm-contracts.js';
import { type EvmNode, startEvmNode } from './evm-node.js';

const names = ['anna', 'bert', 'carl', 'token', 'vault', 'inner'];
export const [anna, bert, carl, token, vault, inner] = names.map(addressOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

/** Interest of a service that watches only anna and has registered only `token`. */
export const interestInAnna: Interest = {
  address: (address) => address === anna,
  contract: (address) => address === token,
  tokenAccounts: () => [],
};
export const interestInAll: Interest = { address: () => true, contract: () => true, tokenAccounts: () => [] };

export const brief = ({ index, asset, from, to, value, failed }: Movement) => ({
  index,
  asset,
  from,
  to,
  value,
  failed,
});
export const coins = (index: string, from: string, to: string, value: string, failed = false) => {
  const asset = { standard: 'native' } as const;
  return { index, asset, from, to, value, failed };
};

export const erc20 = { standard: 'erc20', contract: token } as const;
const other = { ...erc20, contract: addressOf('other token') };
type Token = Exclude<Asset, { standard: 'native' | 'token' }>;

/**
 * Makes a transaction with three token transfers: the second is of `asset`, by default the registered token, and the
 * first and the third are of another token.
 */
export const paid = (from: string, to: string, value = 7n, asset: Token = erc20): ScriptedTransaction => ({
  from,
  to: token,
  tokens: [
    { asset: other, from: bert, to: carl, value: 1n },
    { asset, from, to, value },
    { asset: other, from: carl, to: bert, value: 2n },
  ],
});
/** Makes a transaction in which a contract pays `to` by a call within a call. */
export const called = (to: string, value = 9n): ScriptedTransaction => ({
  from: bert,
  to: vault,
  internal: [{ from: vault, to: carl, calls: [{ from: carl, to, value }] }],
});

/** Makes a transaction in which a proxy receives `value` coins and pays `to` from within a delegate call. */
export const delegated = (from: string, proxy: string, to: string, value = 3n): ScriptedTransaction => ({
  from,
  to: proxy,
  value,
  internal: [{ type: 'DELEGATECALL', from: proxy, to: inner, value, calls: [{ from: proxy, to, value: 2n }] }],
});
/** Makes a transaction that succeeds although one call in it fails: the call by which a contract pays `to`. */
export const reverting = (to: string, value = 4n): ScriptedTransaction => ({
  from: bert,
  to: vault,
  internal: [{ from: vault, to, value, error: 'execution reverted' }],
});
/** Makes a transaction that the network itself adds, without a signer. Its log moves the registered token. */
export const synced = (to: string, value = 6n): ScriptedTransaction => ({
  from: bert,
  to: token,
  logs: [tokenLog(erc20, bert, to, value)],
  fields: { from: zeroAddress },
  receipt: { gasUsed: '0x0' },
});

const depositTopic = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
const withdrawalTopic = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';
/** Makes a transaction in which the registered token wraps or unwraps coins between two transfers of another token. */
const wrapped = (topic: string, holder: string, value: bigint): ScriptedTransaction => {
  const log = { address: token, topics: [topic, `0x${addressWord(holder)}`], data: `0x${word(value)}` };
  return { from: holder, to: token, logs: [tokenLog(other, bert, carl, 1n), log, tokenLog(other, carl, bert, 2n)] };
};

const person = fc.constantFrom(anna, bert, carl);
const amount = fc.bigInt({ min: 1n, max: 99n });
const numbered = fc
  .record({ standard: fc.constantFrom('erc721', 'erc1155'), tokenId: fc.nat(9).map(String) })
  .map((asset) => ({ ...asset, contract: token }) as const);
const blobs = { fields: { type: '0x3' }, receipt: { blobGasUsed: '0x20000', blobGasPrice: '0x3' } };
/** Generator of a transaction with coins, tokens of any standard, wrapped coins, blobs, or payments by contracts. */
export const transaction: fc.Arbitrary<ScriptedTransaction> = fc.oneof(
  fc.record({ from: person, to: person, value: amount, failed: fc.boolean() }),
  fc.record({ from: person, to: person, value: amount }).map((sent) => ({ ...sent, ...blobs })),
  fc.tuple(person, person, amount).map(([from, to, value]) => paid(from, to, value)),
  fc.tuple(person, person, numbered).map(([from, to, asset]) => paid(from, to, 1n, asset)),
  fc.tuple(fc.constantFrom(depositTopic, withdrawalTopic), person, amount).map((drawn) => wrapped(...drawn)),
  fc.tuple(person, amount).map(([to, value]) => called(to, value)),
  fc.tuple(person, amount).map(([to, value]) => reverting(to, value)),
  fc
    .tuple(fc.constantFrom(bert, carl), fc.constantFrom(anna, vault), person, amount)
    .map((drawn) => delegated(...drawn)),
);
/** Generator of the transactions of a block. */
export const transactions = fc.array(transaction, { maxLength: 5 });

/** Time limits that allow a slow answer, but no second attempt at the same node. */
const once = { deadlineMs: 1500, timeoutMs: 6000 };

/** Starts a new node for each test, and makes connectors to it. */
export const evmFixture = () => {
  const open: { close(): Promise<void> }[] = [];
  let current: EvmNode;
  beforeEach(async () => {
    current = await startEvmNode();
    open.push(current);
  });
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });
  const node = () => current;
  /** Registers a resource, which is closed after the test, and returns the resource. */
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    open.push(one);
    return one;
  };
  const connect = async (urls: readonly string[] = [current.url]) => {
    return keep(await evmChain(urls, silent, once));
  };
  const mined = async (
    transactions: readonly ScriptedTransaction[],
    interest = interestInAnna,
    fields: Record<string, unknown> = {},
  ) => {
    const block = current.chain.mine(transactions, fields);
    const read = await (await connect()).block(block.hash, interest);
    assert(read);
    return { ...read, transactions: block.transactions };
  };
  const movementsOf = async (...transactions: readonly ScriptedTransaction[]) => (await mined(transactions)).movements;
  return { node, connect, keep, mined, movementsOf };
};
