import assert from 'node:assert/strict';
import { addressOf, digestOf } from '../../support/chains/evm-chain.js';
import { type Records, useRecordedRollup } from '../../support/gateway/recorded-queries.js';
import { beyondDoubles, hashOf, minedBlock, recorded } from '../../support/gateway/recorded-rollup.js';
import { runCommand } from '../../support/service/command.js';
import { clientOf } from '../../support/service/service.js';

const unknown = { transaction_hash: digestOf('unknown') };

describe('the query API over a recorded node', () => {
  const { ask, textOf, refused, service } = useRecordedRollup();

  for (const name of Object.keys(recorded))
    it(`answers every operation about the transaction "${name}"`, async () => {
      const request = { transaction_hash: hashOf(name) };
      const { transaction } = await ask('GetTransaction', request);
      await ask('GetTransactionReceipt', request);
      await ask('ListLogs', request);
      await ask('ListInternalTransactions', request);
      const listed = await ask('ListTransactions', { transaction_hashes: [hashOf(name)] });
      assert.deepEqual(listed.transactions, [transaction]);
    });

  it('shows a transaction field by field', async () => {
    const { transaction } = await ask('GetTransaction', { transaction_hash: hashOf('one with a fee cap') });
    assert.deepEqual(transaction, {
      transaction_hash: hashOf('one with a fee cap'),
      block_number: 16,
      block_hash: digestOf('recorded block 16'),
      from: addressOf('sender'),
      to: addressOf('contract'),
      gas: 21000,
      gas_price: 1_000_000_000,
      input: '0x',
      nonce: 3,
      transaction_index: 3,
      value: '0xde0b6b3a7640000',
      r: `0x${'a1'.repeat(32)}`,
      s: `0x${'b'.repeat(63)}`,
      v: '0x1',
    });
  });

  it('shows a receipt field by field', async () => {
    const { transaction_receipt } = await ask('GetTransactionReceipt', { transaction_hash: hashOf('a creation') });
    assert.deepEqual(transaction_receipt, {
      transaction_hash: hashOf('a creation'),
      block_number: 16,
      block_hash: digestOf('recorded block 16'),
      contract_address: addressOf('contract'),
      cumulative_gas_used: 42000,
      from: addressOf('sender'),
      to: '',
      gas_used: 21000,
      logs_bloom: `0x${'0'.repeat(512)}`,
      status: 1,
      transaction_index: 5,
      effective_gas_price: 1_000_000_000,
    });
  });

  it('shows absent fields as null, empty or zero, and derives the gas price of old receipts', async () => {
    const receiptOf = async (name: string) =>
      (await ask('GetTransactionReceipt', { transaction_hash: hashOf(name) })).transaction_receipt as Records[0];
    const old = await receiptOf('one from before Byzantium');
    assert.equal(old?.status, null);
    assert.equal(old?.effective_gas_price, 1_000_000_000);
    assert.equal((await receiptOf('one that was reverted'))?.status, 0);
    assert.equal((await receiptOf('a legacy transfer'))?.contract_address, '');
    const deposit = await ask('GetTransaction', { transaction_hash: hashOf('a deposit without a signature') });
    const { r, s, v, gas_price } = deposit.transaction as NonNullable<Records[0]>;
    assert.deepEqual({ r, s, v, gas_price }, { r: '0x0', s: '0x0', v: '0x0', gas_price: 0 });
    const blobs = await ask('GetTransaction', { transaction_hash: hashOf('one that carries blobs') });
    assert.equal((blobs.transaction as Records[0])?.v, '0x1');
  });

  it('shows a block field by field', async () => {
    const { block } = await ask('GetBlock', { block_number: 5 });
    const shown = block as NonNullable<Records[0]>;
    assert.equal(Object.keys(shown).length, 18);
    assert.deepEqual(
      [shown.block_hash, shown.block_number, shown.gas_limit, shown.gas_used, shown.size, shown.timestamp],
      [minedBlock.hash, 5, 30_000_000, 0, 540, 1_438_269_988],
    );
    assert.deepEqual(
      [shown.nonce, shown.miner, shown.uncles, shown.extra_data, shown.mix_hash],
      [minedBlock.nonce, `0x${'ab'.repeat(20)}`, minedBlock.uncles, minedBlock.extraData, minedBlock.mixHash],
    );
  });

  it('preserves every digit of an integer in the answer, in the typed client and at the command line', async () => {
    assert.match(await textOf('GetBlock', { block_number: 5 }), /"difficulty":10000000000000000000000007,/);
    const beyond = { transaction_hash: hashOf('one beyond what a double holds') };
    assert.match(await textOf('GetTransaction', beyond), /"gas_price":9007199254740993,/);
    const { q } = clientOf(service());
    assert.equal((await q.getTransaction(beyond)).transaction.nonce, beyondDoubles.nonce);
    assert.equal((await q.getBlock({ block_number: 5 })).block.block_number, 5);
    for (const json of [[], ['--json']]) {
      const { stdout } = await runCommand(service().home, [
        ...['call', 'q', 'GetTransaction', JSON.stringify(beyond), '--url', service().url],
        ...json,
      ]);
      assert.match(stdout, /"nonce": ?18446744073709551614[,\n]/);
    }
  });

  it('lists logs in order, with their topics', async () => {
    const { logs } = await ask('ListLogs', { transaction_hash: hashOf('one with tokens') });
    assert.deepEqual(
      (logs as Records).map(({ log_index, removed, topics, data }) => [
        log_index,
        removed,
        (topics as []).length,
        data,
      ]),
      [
        [0, false, 2, `0x${'01'.padStart(64, '0')}`],
        [1, false, 0, '0x'],
      ],
    );
    assert.deepEqual((await ask('ListLogs', { transaction_hash: hashOf('a legacy transfer') })).logs, []);
  });

  it('lists up to a hundred transactions in the requested order, without those that are not found', async () => {
    const names = ['one with tokens', 'a legacy transfer', 'a creation'];
    const hashes = [unknown.transaction_hash, ...names.map(hashOf), digestOf('nothing'), hashOf('a legacy transfer')];
    const { transactions } = await ask('ListTransactions', { transaction_hashes: hashes });
    assert.deepEqual(
      (transactions as Records).map(({ transaction_hash }) => transaction_hash),
      [...names, 'a legacy transfer'].map(hashOf),
    );
    assert.deepEqual((await ask('ListTransactions', {})).transactions, []);
    const many = Array.from({ length: 101 }, (_, i) => digestOf(i));
    assert.deepEqual((await ask('ListTransactions', { transaction_hashes: many.slice(1) })).transactions, []);
    await refused('ListTransactions', { transaction_hashes: many }, 400, 'INVALID_ARGUMENT', /transaction_hashes/);
  });
});
