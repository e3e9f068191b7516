import assert from 'node:assert/strict';
import type { Interest, Movement } from '../../application/ports/chain.js';
import { evmChain } from '../../infrastructure/chains/evm/connector.js';
import { addressOf, type ScriptedTransaction } from './evm-chain.js';
import { type EvmNode, startEvmNode } from './evm-node.js';
import { silent } from './silent.js';

const names = ['anna', 'bert', 'carl', 'token', 'vault', 'inner'];
export const [anna, bert, carl, token, vault, inner] = names.map(addressOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

/** Only anna is watched, and only `token` is registered. */
export const annas: Interest = {
  address: (address) => address === anna,
  contract: (address) => address === token,
  tokenAccount: () => null,
};
export const everyones: Interest = { address: () => true, contract: () => true, tokenAccount: () => null };

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

/** An answer may take its time, but there is none left to ask the same node again. */
const once = { deadlineMs: 1500, answerMs: 6000 };

/** One node afresh for each test, and connectors to it. */
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
  const connect = async (urls: readonly string[] = [current.url]) => {
    const chain = await evmChain(urls, silent, once);
    open.push(chain);
    return chain;
  };
  const mined = async (
    transactions: readonly ScriptedTransaction[],
    interest = annas,
    fields: Record<string, unknown> = {},
  ) => {
    const block = current.chain.mine(transactions, fields);
    const read = await (await connect()).block(block.hash, interest);
    assert(read);
    return { ...read, transactions: block.transactions };
  };
  const movementsOf = async (...transactions: readonly ScriptedTransaction[]) => (await mined(transactions)).movements;
  return { node, connect, mined, movementsOf };
};
