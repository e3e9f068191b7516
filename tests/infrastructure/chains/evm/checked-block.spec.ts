import assert from 'node:assert/strict';
import { Failure } from '../../../../domain/failure.js';
import type { ScriptedTransaction } from '../../../support/chains/evm-chain.js';
import { word } from '../../../support/chains/evm-contracts.js';
import { anna, bert, evmFixture, interestInAll, interestInAnna, token } from '../../../support/chains/evm-fixture.js';

const other = `0x${'9'.repeat(64)}`;
const someBloom = `0x1${'0'.repeat(511)}`;
const log = { address: token, topics: [], data: `0x${word(1)}` };
const isNodeError = (error: unknown) => error instanceof Failure && error.code === 'NODE_ERROR';

describe('the EVM connector', () => {
  const { node, connect } = evmFixture();

  /** Faults in the second of three transactions, or in the block. */
  type Spoilt = Partial<ScriptedTransaction> & { readonly block?: Record<string, unknown> };
  const spoilt: Readonly<Record<string, Spoilt>> = {
    'a transaction of another number': { fields: { blockNumber: '0x9' } },
    'a transaction of another block': { fields: { blockHash: other } },
    'a transaction in another place': { fields: { transactionIndex: '0x2' } },
    'a transaction without a sender': { fields: { from: null } },
    'a transaction without a hash': { fields: { hash: 7 } },
    'a transaction with a malformed receiver': { fields: { to: '0x12' } },
    'a transaction with a value of 100,000 digits': { fields: { value: `0x${'f'.repeat(100_000)}` } },
    'a transaction with a negative value': { fields: { value: '-0x1' } },
    'a receipt of another transaction': { receipt: { transactionHash: other } },
    'a receipt in another place': { receipt: { transactionIndex: '0x0' } },
    'a receipt with an unknown status': { receipt: { status: '0x2' } },
    'a receipt without logs': { receipt: { logs: null } },
    'a receipt whose logs are lost': { receipt: { logs: [], logsBloom: someBloom } },
    'a receipt with gas that is no number': { receipt: { gasUsed: 'much' } },
    'a block without transactions': { block: { transactions: null } },
    'a block with hashes for transactions': { block: { transactions: [other, other, other] } },
    'a block with a malformed parent': { block: { parentHash: '0x1' } },
    'a block with a malformed time': { block: { timestamp: 'now' } },
    'a block of another hash': { block: { hash: other } },
    'a block with malformed withdrawals': { block: { withdrawals: [{ address: 7 }] } },
  };
  for (const [name, { block = {}, ...second }] of Object.entries(spoilt))
    it(`rejects ${name}`, async () => {
      const plain = { from: bert, to: anna, value: 5n };
      const { hash } = node().chain.mine([plain, { ...plain, ...second }, plain], block);
      await assert.rejects((await connect()).block(hash, interestInAll), isNodeError);
    });

  const spoiltLogs: Readonly<Record<string, Record<string, unknown>>> = {
    'a log of another block': { blockHash: other },
    'a log of another transaction': { transactionHash: other },
    'a removed log': { removed: true },
    'a log with the number of the one before': { logIndex: '0x1' },
    'a log without a contract': { address: null },
    'a log with an index that is no number': { logIndex: 'first' },
  };
  for (const [name, fields] of Object.entries(spoiltLogs))
    it(`rejects a receipt with ${name}`, async () => {
      const logs = [log, { ...log, ...fields }] as never;
      const { hash } = node().chain.mine([
        { from: bert, to: token, logs: [log] },
        { from: bert, to: token, logs },
      ]);
      await assert.rejects((await connect()).block(hash, interestInAnna), isNodeError);
    });

  it('returns neither half a block nor a wrong balance when the chain changes during a read', async () => {
    const { chain, faults } = node();
    faults.forgetsReplaced = true;
    faults.noStateByHash = true;
    const held = [{ address: token, asset: { standard: 'native' } as const }];
    for (const method of ['eth_getBlockByHash', 'eth_getBlockReceipts', 'debug_traceBlockByHash', 'eth_getBalance']) {
      const connector = await connect();
      await connector.balances(held, chain.head());
      const block = chain.mine([{ from: bert, to: token, value: 3n, logs: [log] }]);
      node().onAsked = (asked) => {
        if (asked === method && chain.isCanonical(block)) chain.reorganize(1, [[{ from: anna, to: bert }]]);
      };
      const read = await connector.block(block.hash, interestInAll).catch((error) => assert(isNodeError(error)));
      assert.equal(read?.movements.length ?? 1, 1, method);
      await assert.rejects(connector.balances(held, block), isNodeError, method);
    }
  });
});
