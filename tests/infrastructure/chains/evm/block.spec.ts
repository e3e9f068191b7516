import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Failure } from '../../../../domain/failure.js';
import { fetchTraces } from '../../../../infrastructure/chains/evm/traces.js';
import { createPace } from '../../../../infrastructure/pace.js';
import {
  contractGas,
  gasPrice,
  plainGas,
  type ScriptedTransaction,
  zeroAddress,
} from '../../../support/chains/evm-chain.js';
import {
  anna,
  bert,
  brief,
  carl,
  coins,
  evmFixture,
  inner,
  interestInAll,
  interestInAnna,
  vault,
} from '../../../support/chains/evm-fixture.js';

const plainFee = (plainGas * gasPrice).toString();
const contractFee = (contractGas * gasPrice).toString();

describe('a block of the EVM connector', () => {
  const { node, connect, mined, movementsOf } = evmFixture();

  describe('in its native transfers', () => {
    it('has transfers from and to watched addresses, with fee and nonce', async () => {
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
      const fees = [{ transaction: transactions[0]?.hash, value: plainFee }];
      assert.deepEqual(touches, [{ address: anna, reason: 'fee', fees }]);
    });
    it('marks transfers of failed transactions', async () => {
      const movements = await movementsOf({ from: anna, to: bert, value: 5n, failed: true });
      assert.deepEqual(movements.map(brief), [coins('native', anna, bert, '5', true)]);
    });
    it('treats transfers without a status in an old receipt as successful', async () => {
      const receipt = { status: undefined, root: `0x${'1'.repeat(64)}` };
      const movements = await movementsOf({ from: anna, to: bert, value: 5n, receipt });
      assert.deepEqual(movements.map(brief), [coins('native', anna, bert, '5')]);
    });
    it('has the address of a created contract as the receiver', async () => {
      const movements = await movementsOf({ from: anna, to: null, value: 5n, receipt: { contractAddress: vault } });
      assert.deepEqual(movements.map(brief), [coins('native', anna, vault, '5')]);
    });
    it('has no transfer of value zero', async () =>
      assert.deepEqual(await movementsOf({ from: anna, to: bert }, { from: bert, to: anna, value: 0n }), []));
    it('recognizes addresses in upper case', async () => {
      const fields = { from: anna.toUpperCase().replace('X', 'x'), to: bert.toUpperCase().replace('X', 'x') };
      const { movements, touches } = await mined([{ from: anna, to: bert, value: 5n, fields }]);
      assert.deepEqual(movements.map(brief), [coins('native', anna, bert, '5')]);
      assert.deepEqual(
        touches.map(({ address, reason }) => ({ address, reason })),
        [{ address: anna, reason: 'fee' }],
      );
    });
    it('treats deposits from a lower layer as minted, even when the deposit fails', async () => {
      const movements = await movementsOf(
        { from: anna, to: bert, value: 5n, mint: 5n },
        { from: anna, to: bert, value: 6n, mint: 6n, failed: true },
        { from: bert, to: anna, mint: 7n },
        { from: anna, to: bert, mint: 0n },
      );
      assert.deepEqual(movements.map(brief), [
        coins('mint', zeroAddress, anna, '5'),
        coins('native', anna, bert, '5'),
        coins('mint', zeroAddress, anna, '6'),
        coins('native', anna, bert, '6', true),
      ]);
    });
    it('has the exact amount, however large', async () => {
      const value = 2n ** 256n - 1n;
      const movements = await movementsOf({ from: bert, to: anna, fields: { value: `0x${value.toString(16)}` } });
      assert.deepEqual(movements.map(brief), [coins('native', bert, anna, value.toString())]);
    });
    it('adds the fee of the lower layer', async () => {
      const [movement] = await movementsOf({ from: anna, to: bert, value: 5n, receipt: { l1Fee: '0x64' } });
      assert.equal(movement?.fee, (plainGas * gasPrice + 100n).toString());
    });
    it('adds the blob fee, and ignores the same fields in other transactions', async () => {
      const receipt = { blobGasUsed: '0x20000', blobGasPrice: '0x3', l1Fee: '0x64' };
      const blobs = { from: anna, to: bert, value: 5n, receipt, fields: { type: '0x3' } };
      const fees = (await movementsOf(blobs, { ...blobs, fields: { type: '0x2' } })).map(({ fee }) => BigInt(fee));
      assert.deepEqual(fees, [plainGas * gasPrice + 131_072n * 3n + 100n, plainGas * gasPrice + 100n]);
    });
    it('recognizes types of transactions with leading zeros', async () => {
      const receipt = { blobGasUsed: '0x20000', blobGasPrice: '0x3' };
      const blobs = { from: anna, to: bert, value: 5n, receipt, fields: { type: '0x03' } };
      const deposit = { from: anna, to: bert, value: 5n, mint: 7n, fields: { type: '0x007e' } };
      const [sent, minted] = await movementsOf(blobs, deposit);
      assert.equal(sent?.fee, (plainGas * gasPrice + 131_072n * 3n).toString());
      assert.deepEqual([minted?.index, minted?.value], ['mint', '7']);
    });
    it("uses the transaction's gas price if the receipt has none", async () => {
      const receipt = { effectiveGasPrice: undefined };
      const [movement] = await movementsOf({ from: anna, to: bert, value: 5n, receipt, fields: { gasPrice: '0x2' } });
      assert.equal(movement?.fee, '42000');
    });
  });

  describe('in its internal transfers', () => {
    it('numbers calls in pre-order, and has only transfers of successful calls', async () => {
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
    it('has no transfer of a failed transaction', async () =>
      assert.deepEqual(
        await movementsOf({ from: bert, to: vault, failed: true, internal: [{ from: vault, to: anna, value: 3n }] }),
        [],
      ));
    it('reads calls of any depth', async () => {
      const depth = 100_000;
      let call: object = { type: 'CALL', from: vault, to: anna, value: '0x3' };
      for (let i = 0; i < depth; i++) call = { type: 'CALL', from: vault, to: inner, value: '0x0', calls: [call] };
      const [transaction, block] = ['0x1', '0x2'].map((end) => end.padStart(66, '0')) as [string, string];
      const answers = { can: {}, batch: async () => [], call: async () => [{ result: call }] };
      const sent = { hash: transaction, from: bert, to: vault, created: null, isSystem: false };
      const [transfers] = await fetchTraces(answers, block, [sent], createPace());
      assert.deepEqual(transfers, [{ number: depth, from: vault, to: anna, value: 3n }]);
    });
    it('requests no traces if there are only plain transfers', async () => {
      await mined([{ from: anna, to: bert, value: 5n }]);
      assert(!node().asked.includes('debug_traceBlockByHash'));
    });
    const others: Record<string, ScriptedTransaction> = {
      'with input': { from: bert, to: carl, input: '0x00' },
      'that used more gas than a plain transfer': { from: bert, to: carl, receipt: { gasUsed: '0x5209' } },
      'that makes a contract': { from: bert, to: null },
    };
    for (const [name, transaction] of Object.entries(others))
      it(`requests traces for a transaction ${name}`, async () => {
        await mined([{ from: anna, to: bert, value: 5n }, transaction]);
        assert(node().asked.includes('debug_traceBlockByHash'));
      });
    it('requests traces once if no node supports them', async () => {
      node().faults.noTraces = true;
      const chain = await connect();
      const transaction = { from: bert, to: vault, value: 2n, internal: [{ from: vault, to: anna, value: 3n }] };
      for (const block of [node().chain.mine([transaction]), node().chain.mine([transaction])])
        assert.equal((await chain.block(block.hash, interestInAll))?.movements.length, 1);
      assert.equal(node().asked.filter((method) => method === 'debug_traceBlockByHash').length, 1);
    });
    it('fails if a node no longer returns traces that it returned before', async () => {
      const chain = await connect();
      const first = node().chain.mine([{ from: bert, to: vault, internal: [{ from: vault, to: anna, value: 3n }] }]);
      await chain.block(first.hash, interestInAnna);
      node().faults.noTraces = true;
      const second = node().chain.mine([{ from: bert, to: vault, internal: [{ from: vault, to: anna, value: 3n }] }]);
      await assert.rejects(chain.block(second.hash, interestInAnna), /does not exist/);
    });
  });

  it('with any malformed field is rejected or read without error', async () => {
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
          const read = await chain.block(hash, interestInAll);
          for (const { value, fee } of read?.movements ?? []) assert.match(`${value} ${fee}`, /^\d+ \d+$/);
        } catch (error) {
          assert(error instanceof Failure, String((error as Error).stack));
        }
      }),
      { numRuns: 300 },
    );
  });
  it('touches the balances of fee payers, withdrawal receivers and the miner', async () => {
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
    const { touches } = await mined(transactions, interestInAnna, others);
    const fees = node()
      .chain.head()
      .transactions.map(({ hash }) => ({ transaction: hash, value: plainFee }));
    assert.deepEqual(touches, [
      { address: anna, reason: 'fee', fees },
      { address: anna, reason: 'withdrawal' },
      { address: anna, reason: 'reward' },
    ]);
  });
  it('touches the parties of untraced calls, as far as receipts name them', async () => {
    const word = (address: string) => address.slice(2).padStart(64, '0');
    const log = { address: vault, topics: [`0x${'5'.repeat(64)}`], data: '0x' };
    const named: Record<string, ScriptedTransaction> = {
      'the called contract': { from: bert, to: anna, input: '0xaa' },
      'a created contract': { from: bert, to: null, receipt: { contractAddress: anna } },
      'a contract that wrote a log': { from: bert, to: vault, logs: [{ ...log, address: anna }] },
      'a topic': { from: bert, to: vault, logs: [{ ...log, topics: [...log.topics, `0x${word(anna)}`] }] },
      'the fourth word of data': {
        from: bert,
        to: vault,
        logs: [{ ...log, data: `0x${'0'.repeat(192)}${word(anna)}` }],
      },
    };
    const unnamed: Record<string, ScriptedTransaction> = {
      'the fifth word of data': {
        from: bert,
        to: vault,
        logs: [{ ...log, data: `0x${'0'.repeat(256)}${word(anna)}` }],
      },
      'half a word': { from: bert, to: vault, logs: [{ ...log, data: `0x${word(anna).slice(1)}` }] },
      'a first topic': { from: bert, to: vault, logs: [{ ...log, topics: [`0x${word(anna)}`] }] },
      'a failed call': { from: bert, to: anna, input: '0xaa', failed: true },
      'a transfer of nothing': { from: bert, to: anna },
    };
    const touched = async (transaction: ScriptedTransaction) => (await mined([transaction])).touches;
    for (const [name, one] of Object.entries({ ...named, ...unnamed })) {
      node().faults.noTraces = false;
      assert.deepEqual(await touched(one), [], name);
      node().faults.noTraces = true;
      const expected = name in named ? [{ address: anna, reason: 'execution' }] : [];
      assert.deepEqual(await touched(one), expected, name);
    }
  });
  it('that was replaced is read by its hash while a node has it, and is null when none does', async () => {
    const chain = await connect();
    const old = node().chain.mine([{ from: anna, to: bert, value: 5n }]);
    const now = node().chain.reorganize(1, [[], []]);
    assert.equal((await chain.block(old.hash, interestInAnna))?.movements.length, 1);
    node().faults.forgetsReplaced = true;
    assert.equal((await chain.head()).hash, now.hash);
    for (const missingIsError of [false, true]) {
      node().faults.missingIsError = missingIsError;
      assert.equal(await chain.block(old.hash, interestInAnna), null);
      assert.equal(await chain.headerOf(old.hash), null);
      assert.equal(await chain.headerAt(3), null);
    }
  });
  it('has the same movements for a transaction as any other block that includes it', async () => {
    const chain = await connect();
    const transactions = [{ from: anna, to: vault, value: 1n, internal: [{ from: vault, to: anna, value: 3n }] }];
    const first = await chain.block(node().chain.mine(transactions).hash, interestInAnna);
    const second = await chain.block(node().chain.reorganize(1, [[], transactions]).hash, interestInAnna);
    assert.notEqual(first?.hash, second?.hash);
    assert.deepEqual(first?.movements, second?.movements);
  });
});
