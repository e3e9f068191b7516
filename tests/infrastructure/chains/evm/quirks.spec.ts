import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Chain } from '../../../../application/ports/chain.js';
import { evmChain } from '../../../../infrastructure/chains/evm/connector.js';
import { type Quirk, quirks } from '../../../../infrastructure/chains/evm/quirks/quirks.js';
import { throwRpcError } from '../../../support/chains/answering-node.js';
import type { ScriptedTransaction } from '../../../support/chains/evm-chain.js';
import {
  anna,
  bert,
  called,
  carl,
  delegated,
  erc20,
  evmFixture,
  interestInAnna,
  paid,
  reverting,
  synced,
  token,
  transaction,
} from '../../../support/chains/evm-fixture.js';
import { syncHash } from '../../../support/chains/evm-quirks.js';
import { silent } from '../../../support/silent.js';

const names = Object.keys(quirks) as Quirk[];

const ordinaryBlock: readonly ScriptedTransaction[] = [
  { from: bert, to: anna, value: 5n },
  paid(anna, bert),
  { from: anna, to: carl, value: 6n, failed: true },
  called(anna),
  delegated(bert, anna, carl),
  reverting(anna),
  paid(bert, anna),
];
const withSyncs = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: transaction },
    { weight: 1, arbitrary: fc.constantFrom(anna, bert).map((to) => synced(to)) },
  ),
  { maxLength: 6 },
);

type Read = Awaited<ReturnType<Chain['block']>>;
/**
 * Returns the movements of a block, and asserts that each is distinct. Leaves out trace numbers that frames of the
 * bootloader shift, because these cannot be compared.
 */
const movementsIn = (block: Read, drawn: readonly Quirk[]) => {
  const movements = block?.movements ?? [];
  assert.equal(new Set(movements.map(({ transaction, index }) => `${transaction} ${index}`)).size, movements.length);
  const isShifted = drawn.includes('bootloader at the root of a trace');
  return movements.map((one) => (isShifted ? { ...one, index: one.index.replace(/^trace:\d+$/, 'trace') } : one));
};

describe('a network that deviates from the EVM standard', () => {
  const { node, connect, keep } = evmFixture();

  /** Reads the block before and after the change of the node, each time through a new connector. */
  const readTwice = async (mined: readonly ScriptedTransaction[], change: () => void) => {
    const { hash } = node().chain.mine(mined);
    const before = await (await connect()).block(hash, interestInAnna);
    change();
    return { before, after: await (await connect()).block(hash, interestInAnna) };
  };

  for (const [name, { believed }] of Object.entries(quirks))
    it(`through "${name}" is read with the same transfers: ${believed}`, async () => {
      node().chain.deploy(token, { standard: 'erc20' });
      node().chain.mine();
      const { before, after } = await readTwice(ordinaryBlock, () => node().quirks.add(name as Quirk));
      assert.equal(before?.movements.length, 7);
      assert.deepEqual(movementsIn(after, [name as Quirk]), movementsIn(before, [name as Quirk]));
      const chain = await connect();
      const plain = node().chain.mine([{ from: bert, to: anna, value: 5n }]);
      assert.equal((await chain.block(plain.hash, interestInAnna))?.movements.length, 1);
      const [balance] = await chain.balances([{ address: anna, asset: erc20 }], node().chain.head());
      assert.equal(balance, node().chain.balance(anna, erc20).toString());
      assert.deepEqual(await chain.contract(token, 'erc20'), {});
      assert.equal((await chain.headerAt(1))?.hash, node().chain.at(1)?.hash);
      assert.ok((await chain.genesis()).number <= 1);
    });

  it('through any of its quirks together is read with the same transfers', async () => {
    await fc.assert(
      fc.asyncProperty(withSyncs, fc.subarray(names), async (mined, drawn) => {
        const { before, after } = await readTwice(mined, () => {
          for (const name of drawn) node().quirks.add(name);
        });
        node().quirks.clear();
        assert.deepEqual(movementsIn(after, drawn), movementsIn(before, drawn));
        const touched = ({ reason }: { reason: string }) => reason !== 'system';
        assert.deepEqual(after?.touches.filter(touched), before?.touches.filter(touched));
      }),
      { numRuns: 60 },
    );
  });

  describe('through a state sync', () => {
    it('has the balances of addresses in its logs read again', async () => {
      const { before, after } = await readTwice([], () => node().quirks.add('state sync without a trace'));
      assert.deepEqual(before?.touches, []);
      assert.deepEqual(after?.touches, [{ address: anna, reason: 'system' }]);
    });
    it('has its state syncs read when traces have no hashes', async () => {
      const { before, after } = await readTwice(ordinaryBlock, () => {
        node().quirks.add('state sync without a trace');
        node().lie = (method, answer) =>
          method === 'debug_traceBlockByHash'
            ? (answer as object[]).map((one) => ({ ...one, txHash: undefined }))
            : answer;
      });
      assert.deepEqual(after?.movements, before?.movements);
    });
    it('has its state syncs read when their traces are errors', async () => {
      const { before, after } = await readTwice(ordinaryBlock, () => {
        node().quirks.add('state sync without a trace');
        const hash = syncHash(node().chain.head().hash);
        node().lie = (method, answer) =>
          method === 'debug_traceBlockByHash' ? [...(answer as object[]), { txHash: hash, error: 'no' }] : answer;
      });
      assert.deepEqual(after?.movements, before?.movements);
    });
    it('has transfers of tokens in it although the bloom of the block leaves them out', async () => {
      const { hash } = node().chain.mine([synced(anna, 3n)], { logsBloom: `0x${'0'.repeat(512)}` });
      const read = await (await connect()).block(hash, interestInAnna);
      assert.deepEqual(
        read?.movements.map(({ index, value }) => [index, value]),
        [['log:0', '3']],
      );
    });
  });

  it('through a padded status has the right status for each transaction', async () => {
    node().quirks.add('padded status');
    const pay = { from: bert, to: anna, value: 5n };
    const { transactions } = node().chain.mine([pay, { ...pay, failed: true }]);
    const hashes = transactions.map(({ hash }) => hash);
    const found = await (await connect()).sending?.inclusionsAt(hashes, node().chain.head());
    assert.deepEqual(
      found?.map((one) => one?.failed),
      [false, true],
    );
  });

  const countOf = (method: string) => node().asked.filter((asked) => asked === method).length;

  describe('through a failing list of receipts', () => {
    const codes = { refused: -32000, failing: -32603, unsupported: -32601 };
    for (const [name, code] of Object.entries(codes))
      it(`for one block (${name}) has the receipts of that block read one by one, and those of the next together`, async () => {
        const chain = await connect();
        const read = async () => {
          const { hash } = node().chain.mine([paid(bert, anna)]);
          assert.equal((await chain.block(hash, interestInAnna))?.movements.length, 1);
          return countOf('eth_getTransactionReceipt');
        };
        assert.equal(await read(), 0);
        node().lie = (method, answer) =>
          method === 'eth_getBlockReceipts' ? throwRpcError(code, 'receipts length mismatch') : answer;
        assert.equal(await read(), 1);
        node().lie = (_, answer) => answer;
        assert.equal(await read(), 1);
      });
  });

  describe('through a list of receipts that is never answered', () => {
    for (const transport of ['url', 'wsUrl'] as const)
      it(`has the receipts read one by one, and the list requested again 32 blocks later (${transport})`, async () => {
        const chain = keep(await evmChain([node()[transport]], silent, { deadlineMs: 1000, timeoutMs: 4000 }));
        node().faults.hangingMethod = 'eth_getBlockReceipts';
        const read = async () => {
          const { hash } = node().chain.mine([paid(bert, anna)]);
          assert.equal((await chain.block(hash, interestInAnna))?.movements.length, 1);
        };
        for (let i = 0; i <= 32; i++) await read();
        assert.equal(countOf('eth_getBlockReceipts'), 1);
        node().heal();
        await read();
        assert.deepEqual([countOf('eth_getBlockReceipts'), countOf('eth_getTransactionReceipt')], [2, 33]);
      });
  });

  describe('through a first block with number 1', () => {
    const numbered = async (chainId: string) => {
      node().quirks.add('first block is number 1');
      node().lie = (method, answer) => (method === 'eth_chainId' ? chainId : answer);
      return await connect();
    };
    it('is identified by its chain id and that block', async () => {
      node().chain.mine();
      const usualHash = (await (await connect()).genesis()).hash;
      assert.equal(usualHash, node().chain.at(0)?.hash);
      const [one, same, another] = [await numbered('0x1'), await numbered('0x1'), await numbered('0x2')];
      const identity = async (chain: typeof one) => (await chain.genesis()).hash;
      node().lie = (_, answer) => answer;
      assert.match(await identity(one), /^0x[0-9a-f]{64}$/);
      assert.equal(await identity(one), await identity(same));
      node().lie = (method, answer) => (method === 'eth_chainId' ? '0x2' : answer);
      assert.notEqual(await identity(another), usualHash);
      assert.notEqual(await identity(another), node().chain.at(1)?.hash);
    });
    it('has no block 0, and none of its blocks is final below number 1', async () => {
      node().chain.mine();
      const chain = await numbered('0x1');
      assert.equal((await chain.genesis()).number, 1);
      assert.equal(await chain.headerAt(0), null);
      assert.equal(await chain.finalized(), 1);
    });
  });
});
