import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Failure } from '../../domain/failure.js';
import { fetchTraces } from '../../infrastructure/chains/evm/traces.js';
import { createPace } from '../../infrastructure/chains/nodes/pace.js';
import { contractGas, gasPrice, nobody, plainGas, type ScriptedTransaction } from '../support/evm-chain.js';
import { anna, annas, bert, brief, carl, coins, everyones, evmFixture, inner, vault } from '../support/evm-fixture.js';

const plainFee = (plainGas * gasPrice).toString();
const contractFee = (contractGas * gasPrice).toString();

describe('blocks of the EVM connector', () => {
  const { node, connect, mined, movementsOf } = evmFixture();

  describe('native coins', () => {
    it('tell of what is sent and received, with fee and nonce', async () => {
      const { movements, transactions, touches, ...header } = await mined([
        { from: anna, to: bert, value: 5n },
        { from: bert, to: carl, value: 6n },
        { from: bert, to: anna, value: 7n },
      ]);
      const shared = (i: number) => ({ transaction: transactions[i]?.hash, fee: plainFee });
      assert.deepEqual(movements, [
        { ...coins('native', anna, bert, '5'), ...shared(0), details: { nonce: '0' } },
        { ...coins('native', bert, anna, '7'), ...shared(2), details: { nonce: '1' } },
      ]);
      const { number, hash, parentHash, time } = node().chain.head();
      assert.deepEqual(header, { number, hash, parentHash, time });
      assert.deepEqual(touches, [{ address: anna, reason: 'fee' }]);
    });
    it('that were not moved for a failure are marked', async () => {
      const movements = await movementsOf({ from: anna, to: bert, value: 5n, failed: true });
      assert.deepEqual(movements.map(brief), [coins('native', anna, bert, '5', true)]);
    });
    it('count as moved in receipts older than the status', async () => {
      const receipt = { status: undefined, root: `0x${'1'.repeat(64)}` };
      const movements = await movementsOf({ from: anna, to: bert, value: 5n, receipt });
      assert.deepEqual(movements.map(brief), [coins('native', anna, bert, '5')]);
    });
    it('given to a contract that is made go to its address', async () => {
      const movements = await movementsOf({ from: anna, to: null, value: 5n, receipt: { contractAddress: vault } });
      assert.deepEqual(movements.map(brief), [coins('native', anna, vault, '5')]);
    });
    it('are not told of when there are none', async () =>
      assert.deepEqual(await movementsOf({ from: anna, to: bert }, { from: bert, to: anna, value: 0n }), []));
    it('are known by an address in capitals', async () => {
      const fields = { from: anna.toUpperCase().replace('X', 'x'), to: bert.toUpperCase().replace('X', 'x') };
      const { movements, touches } = await mined([{ from: anna, to: bert, value: 5n, fields }]);
      assert.deepEqual(movements.map(brief), [coins('native', anna, bert, '5')]);
      assert.deepEqual(touches, [{ address: anna, reason: 'fee' }]);
    });
    it('deposited from a lower layer are minted, also when the deposit fails', async () => {
      const movements = await movementsOf(
        { from: anna, to: bert, value: 5n, mint: 5n },
        { from: anna, to: bert, value: 6n, mint: 6n, failed: true },
        { from: bert, to: anna, mint: 7n },
        { from: anna, to: bert, mint: 0n },
      );
      assert.deepEqual(movements.map(brief), [
        coins('mint', nobody, anna, '5'),
        coins('native', anna, bert, '5'),
        coins('mint', nobody, anna, '6'),
        coins('native', anna, bert, '6', true),
      ]);
    });
    it('of any amount are exact', async () => {
      const value = 2n ** 256n - 1n;
      const movements = await movementsOf({ from: bert, to: anna, fields: { value: `0x${value.toString(16)}` } });
      assert.deepEqual(movements.map(brief), [coins('native', bert, anna, value.toString())]);
    });
    it('cost the fee of the lower layer too', async () => {
      const [movement] = await movementsOf({ from: anna, to: bert, value: 5n, receipt: { l1Fee: '0x64' } });
      assert.equal(movement?.fee, (plainGas * gasPrice + 100n).toString());
    });
    it('cost the gas price where the receipt has none', async () => {
      const receipt = { effectiveGasPrice: undefined };
      const [movement] = await movementsOf({ from: anna, to: bert, value: 5n, receipt, fields: { gasPrice: '0x2' } });
      assert.equal(movement?.fee, '42000');
    });
  });

  describe('internal transfers', () => {
    it('are numbered in pre-order, and only calls that succeed move coins', async () => {
      const movements = await movementsOf({
        from: bert,
        to: vault,
        value: 1n,
        internal: [
          { from: vault, to: inner, calls: [{ from: inner, to: anna, value: 3n }] },
          { from: vault, to: anna, value: 4n, type: 'DELEGATECALL' },
          { from: vault, to: anna, value: 4n, type: 'STATICCALL' },
          { from: vault, to: anna, value: 4n, type: 'CALLCODE' },
          { from: vault, to: inner, error: 'reverted', calls: [{ from: inner, to: anna, value: 5n }] },
          { from: vault, to: anna, value: 6n, error: 'out of gas' },
          { from: anna, to: inner, value: 7n, type: 'CREATE' },
          { from: anna, to: inner, value: 8n, type: 'CREATE2' },
          { from: vault, to: anna, value: 9n, type: 'SELFDESTRUCT' },
          { from: vault, to: bert, value: 9n },
          { from: vault, to: anna, value: 0n },
        ],
      });
      assert.deepEqual(movements.map(brief), [
        coins('trace:2', inner, anna, '3'),
        coins('trace:9', anna, inner, '7'),
        coins('trace:10', anna, inner, '8'),
        coins('trace:11', vault, anna, '9'),
      ]);
      assert.equal(movements[0]?.fee, contractFee);
    });
    it('of a transaction that failed are none', async () =>
      assert.deepEqual(
        await movementsOf({ from: bert, to: vault, failed: true, internal: [{ from: vault, to: anna, value: 3n }] }),
        [],
      ));
    it('are read from calls of any depth', async () => {
      const depth = 100_000;
      let call: object = { type: 'CALL', from: vault, to: anna, value: '0x3' };
      for (let i = 0; i < depth; i++) call = { type: 'CALL', from: vault, to: inner, value: '0x0', calls: [call] };
      const [transaction, block] = ['0x1', '0x2'].map((end) => end.padStart(66, '0')) as [string, string];
      const answers = { can: {}, batch: async () => [], call: async () => [{ result: call }] };
      const [transfers] = await fetchTraces(answers, block, [transaction], createPace());
      assert.deepEqual(transfers, [{ number: depth, from: vault, to: anna, value: 3n }]);
    });
    it('are not asked for in blocks of plain transfers', async () => {
      await mined([{ from: anna, to: bert, value: 5n }]);
      assert(!node().asked.includes('debug_traceBlockByHash'));
    });
    const others: Record<string, ScriptedTransaction> = {
      'with input': { from: bert, to: carl, input: '0x00' },
      'that used more gas than a plain transfer': { from: bert, to: carl, receipt: { gasUsed: '0x5209' } },
      'that makes a contract': { from: bert, to: null },
    };
    for (const [name, transaction] of Object.entries(others))
      it(`are asked for in a block with a transaction ${name}`, async () => {
        await mined([{ from: anna, to: bert, value: 5n }, transaction]);
        assert(node().asked.includes('debug_traceBlockByHash'));
      });
    it('are asked for once where no node can tell', async () => {
      node().faults.noTraces = true;
      const chain = await connect();
      const transaction = { from: bert, to: vault, value: 2n, internal: [{ from: vault, to: anna, value: 3n }] };
      for (const block of [node().chain.mine([transaction]), node().chain.mine([transaction])])
        assert.equal((await chain.block(block.hash, everyones))?.movements.length, 1);
      assert.equal(node().asked.filter((method) => method === 'debug_traceBlockByHash').length, 1);
    });
    it('are insisted on from a node that could tell once', async () => {
      const chain = await connect();
      const first = node().chain.mine([{ from: bert, to: vault, internal: [{ from: vault, to: anna, value: 3n }] }]);
      await chain.block(first.hash, annas);
      node().faults.noTraces = true;
      const second = node().chain.mine([{ from: bert, to: vault, internal: [{ from: vault, to: anna, value: 3n }] }]);
      await assert.rejects(chain.block(second.hash, annas), /does not exist/);
    });
  });

  it('that make no sense are refused, whatever is wrong with them', async () => {
    const anything = fc.oneof(
      fc.constantFrom(undefined, null, 0, '', '0x', '0x0', '0x7e', [], {}, `0x${'f'.repeat(65)}`, anna),
      fc.anything(),
    );
    const keysOf = (...keys: string[]) => fc.dictionary(fc.constantFrom(...keys), anything, { maxKeys: 2 });
    const fields = keysOf('from', 'to', 'value', 'nonce', 'hash', 'type', 'mint', 'blockHash', 'input', 'gasPrice');
    const receipts = keysOf('status', 'gasUsed', 'logs', 'contractAddress', 'transactionIndex', 'l1Fee', 'logsBloom');
    const blocks = keysOf('number', 'timestamp', 'parentHash', 'transactions', 'withdrawals', 'miner', 'logsBloom');
    await fc.assert(
      fc.asyncProperty(fields, receipts, blocks, async (transaction, receipt, block) => {
        const all = [{ from: bert, to: anna, value: 5n, mint: 1n, fields: transaction, receipt }];
        const { hash } = node().chain.mine(all, block);
        const chain = await connect();
        try {
          const read = await chain.block(hash, everyones);
          for (const { value, fee } of read?.movements ?? []) assert.match(`${value} ${fee}`, /^\d+ \d+$/);
        } catch (error) {
          assert(error instanceof Failure, String((error as Error).stack));
        }
      }),
      { numRuns: 300 },
    );
  });
  it('touch who pays, who withdraws and who mines', async () => {
    const others = {
      withdrawals: [
        { address: anna, amount: '0x1' },
        { address: bert, amount: '0x1' },
      ],
      miner: anna,
    };
    const transactions = [
      { from: anna, to: bert },
      { from: anna, to: bert, value: 3n },
    ];
    const { touches } = await mined(transactions, annas, others);
    assert.deepEqual(
      touches,
      (['fee', 'withdrawal', 'reward'] as const).map((reason) => ({ address: anna, reason })),
    );
  });
  it('that were replaced are still read by their hash while a node knows them, and are null when none does', async () => {
    const chain = await connect();
    const old = node().chain.mine([{ from: anna, to: bert, value: 5n }]);
    const now = node().chain.reorganize(1, [[], []]);
    assert.equal((await chain.block(old.hash, annas))?.movements.length, 1);
    node().faults.forgetsReplaced = true;
    assert.equal((await chain.head()).hash, now.hash);
    for (const missingIsError of [false, true]) {
      node().faults.missingIsError = missingIsError;
      assert.equal(await chain.block(old.hash, annas), null);
      assert.equal(await chain.headerOf(old.hash), null);
      assert.equal(await chain.headerAt(3), null);
    }
  });
  it('keep a transaction and its movements the same whichever block includes it', async () => {
    const chain = await connect();
    const transactions = [{ from: anna, to: vault, value: 1n, internal: [{ from: vault, to: anna, value: 3n }] }];
    const first = await chain.block(node().chain.mine(transactions).hash, annas);
    const second = await chain.block(node().chain.reorganize(1, [[], transactions]).hash, annas);
    assert.notEqual(first?.hash, second?.hash);
    assert.deepEqual(first?.movements, second?.movements);
  });
});
