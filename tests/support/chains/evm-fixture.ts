import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Interest, Movement } from '../../../application/ports/chain.js';
import { evmChain } from '../../../infrastructure/chains/evm/connector.js';
import { silent } from '../silent.js';
import { addressOf, type ScriptedTransaction } from './evm-chain.js';
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

/** Makes a transfer of the registered token between two of another one. */
export const paid = (from: string, to: string, value = 7n): ScriptedTransaction => ({
  from,
  to: token,
  tokens: [
    { asset: other, from: bert, to: carl, value: 1n },
    { asset: erc20, from, to, value },
    { asset: other, from: carl, to: bert, value: 2n },
  ],
});
/** Makes a contract pay from within a call. */
export const called = (to: string, value = 9n): ScriptedTransaction => ({
  from: bert,
  to: vault,
  internal: [{ from: vault, to: carl, calls: [{ from: carl, to, value }] }],
});

const person = fc.constantFrom(anna, bert, carl);
const amount = fc.bigInt({ min: 1n, max: 99n });
const transaction: fc.Arbitrary<ScriptedTransaction> = fc.oneof(
  fc.record({ from: person, to: person, value: amount, failed: fc.boolean() }),
  fc.tuple(person, person, amount).map(([from, to, value]) => paid(from, to, value)),
  fc.tuple(person, amount).map(([to, value]) => called(to, value)),
);
/** Transactions of a block: coins, tokens and payments by contracts. */
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
  /** Closes a resource after the test. */
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
