import assert from 'node:assert/strict';
import type { Chain } from '../../../../application/ports/chain.js';
import { startDevelopmentSui } from '../../../../infrastructure/chains/development/sui/chain.js';
import { masked } from '../../../../infrastructure/chains/development/sui/read-mask.js';
import { fullAddress } from '../../../../infrastructure/chains/sui/addresses.js';
import { suiChain } from '../../../../infrastructure/chains/sui/connector.js';
import { silent } from '../../../support/silent.js';

const someone = fullAddress(`0x${'ab'.repeat(32)}`);
const everyone = { address: () => true, contract: () => true, tokenAccounts: () => [] };

describe('the Sui development chain', () => {
  const closing: (() => Promise<unknown>)[] = [];
  const start = async (blockMs: number) => {
    const development = await startDevelopmentSui({ blockMs, log: silent });
    const chain: Chain = await suiChain(development.urls, silent);
    closing.push(development.close, chain.close);
    return { chain, ...development.controls };
  };
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it("puts the faucet's transaction into a checkpoint immediately, and returns both", async () => {
    const { chain, transfer } = await start(0);
    const sent = (await transfer({ to: someone, value: '12' })) as { [field: string]: string; block_hash: string };
    const block =
      (await chain.block(sent.block_hash, everyone)) ?? assert.fail(`there is no checkpoint ${sent.block_hash}`);
    assert.equal(block.number, sent.block_number);
    const movement = block.movements.find(({ to }) => to === someone);
    assert.deepEqual([movement?.transaction, movement?.value], [sent.transaction_digest, '12']);
    assert.deepEqual([sent.to, sent.value], [someone, '12']);
  });

  it('makes as many checkpoints as requested, and more at an interval', async () => {
    const still = await start(0);
    await still.mine(3);
    assert.equal((await still.chain.head()).number, 3);
    const ticking = await start(20);
    const stop = new AbortController();
    const hints = ticking.chain.hints(stop.signal)[Symbol.asyncIterator]();
    const before = await ticking.chain.head();
    await hints.next();
    await hints.next();
    assert.ok((await ticking.chain.head()).number > before.number);
    stop.abort();
    await hints.return?.();
  });

  it('is a new chain at every start', async () => {
    const [one, other] = [await start(0), await start(0)];
    assert.notEqual((await one.chain.genesis()).hash, (await other.chain.genesis()).hash);
  });

  it('rejects transfers that it cannot make', async () => {
    const { transfer, chain } = await start(0);
    const refused = async (options: Record<string, unknown>, message: RegExp) =>
      assert.rejects(transfer({ to: someone, value: '1', ...options }), { code: -32602, message });
    await refused({ to: 'someone' }, /^to must be an address/);
    await refused({ to: undefined }, /^to must be an address/);
    await refused({ value: '0' }, /^value must be from 1/);
    await refused({ value: '-1' }, /^value must be a whole number/);
    await refused({ value: String(2n ** 64n) }, /^value must be from 1/);
    await refused({ value: String(2n ** 63n) }, /exceeds the balance of the faucet/);
    await refused({ token: 'USD' }, /^token must be a coin type/);
    assert.equal((await chain.head()).number, 0);
  });
});

describe('a read mask', () => {
  const message = { one: 1, twoWords: { inner: 2, other: 3 }, list: [{ inner: 4, other: 5 }], more: [6] };
  it('keeps the fields it names, and empties lists it does not name', () => {
    assert.deepEqual(masked(message, ['one', 'two_words.inner']), {
      one: 1,
      twoWords: { inner: 2 },
      list: [],
      more: [],
    });
    assert.deepEqual(masked(message, ['list.other', 'more']), { list: [{ other: 5 }], more: [6] });
    assert.deepEqual(masked(message, ['two_words', 'two_words.inner']), {
      twoWords: message.twoWords,
      list: [],
      more: [],
    });
  });
});
