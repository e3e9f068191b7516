import assert from 'node:assert/strict';
import type { Block, Chain, Interest } from '../../../../application/ports/chain.js';
import { Failure } from '../../../../domain/failure.js';
import { tonChain } from '../../../../infrastructure/chains/ton/connector.js';
import { createTonScript, jettonWalletOf, master, shapes, type TonScript } from '../../../support/chains/ton-script.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { eventually } from '../../../support/eventually.js';
import { silent } from '../../../support/silent.js';
import { createTonScene, inHex, interestInAll, longTimeouts } from '../../../support/ton/scene.js';
import { startTonV2, v2Faults } from '../../../support/ton/v2-server.js';

const [anna, bert] = ['anna', 'bert'].map(accountOf) as [string, string];
const jettons = { standard: 'token', contract: master } as const;
const native = { standard: 'native' } as const;
/** Interest in every address, and in Anna's jettons. */
const interest: Interest = {
  ...interestInAll,
  tokenAccounts: (account) => (account === jettonWalletOf(anna) ? [{ owner: anna, asset: jettons }] : []),
};
const payments = [
  ...Array.from({ length: 9 }, (_, n) => ({ from: bert, to: accountOf(`payee ${n}`), value: 5n })),
  { from: anna, to: bert, value: 4000n, kind: 'refused' as const },
  { from: bert, to: anna, value: 70n, kind: 'jetton' as const },
  { from: bert, to: anna, value: 80n, kind: 'forged' as const },
];

describe('a TON v2 server', () => {
  const { keep, index, connect } = createTonScene();
  const server = async (...given: Parameters<typeof startTonV2>) => keep(await startTonV2(...given));
  /** Makes a chain with every way in which shards continue, such as split, merge and two consecutive blocks. */
  const everyShape = () => {
    const script = createTonScript(-3);
    for (const shape of shapes) {
      script.mine(payments, shape);
      script.mine(payments, 'twice');
      script.mine([], 'idle');
    }
    return script;
  };
  const readAll = async (chain: Chain, { blocks }: TonScript) => {
    await chain.tokens({ owner: anna, asset: jettons, account: undefined });
    const read: (Omit<Block, 'bytes'> | null)[] = [];
    for (const { hash } of blocks) {
      const block = await chain.headerAt(read.length + 1);
      assert.equal(block?.hash, inHex(hash));
      const { bytes, ...rest } = (await chain.block(inHex(hash), interest)) ?? assert.fail('the block is missing');
      assert(bytes !== undefined && bytes > 0, 'the bytes of a block were not counted');
      read.push(rest);
    }
    return read;
  };

  for (const options of [{}, { pageSize: 2 }, { largestCount: 100, isOld: true }])
    it(`returns the same blocks as an index, however shards continue, with ${JSON.stringify(options)}`, async () => {
      const script = everyShape();
      const [one, other] = [await index(script), await server(script, options)];
      const [first, second] = [await connect(one.url), await connect(other.url)];
      const blocks = await readAll(second, script);
      assert.deepEqual(blocks, await readAll(first, script));
      assert(blocks.some((block) => block?.movements.some(({ asset }) => asset.standard === 'token')));
      assert.deepEqual(await second.genesis(), await first.genesis());
      assert.deepEqual(await second.head(), await first.head());
      assert.equal(await second.finalized(), script.blocks.length);
      assert.equal(await second.isMainNetwork?.(), false);
      assert.equal(await second.headerAt(script.blocks.length + 1), null);
    });

  it('returns the same balances as an index, and finds jetton wallets', async () => {
    const script = everyShape();
    const [one, other] = [await index(script), await server(script)];
    const [first, second] = [await connect(one.url), await connect(other.url)];
    const holdings = [
      ...[anna, bert].flatMap((address) => [
        { address, asset: native },
        { address, asset: jettons },
      ]),
      { address: anna, asset: { standard: 'token', contract: accountOf('no master') } as const },
    ];
    const balances = await second.balances(holdings, await second.head());
    assert.deepEqual(balances, await first.balances(holdings, await first.head()));
    assert.equal(balances[0], String(script.balance(anna)));
    const account = jettonWalletOf(anna);
    const found = { owner: anna, asset: jettons, account };
    assert.deepEqual(await second.tokens({ owner: undefined, asset: undefined, account }), found);
    await assert.rejects(second.tokens({ owner: anna, asset: jettons, account: jettonWalletOf(bert) }), Failure);
  });

  it('is retried when it is busy, fails or lags', async () => {
    const script = everyShape();
    const served = await server(script);
    const chain = keep(await tonChain([served.url], silent, { ...longTimeouts, maxRestMs: 100 }));
    for (const [n, fault] of v2Faults.entries()) {
      served.faults.push(fault, fault);
      assert.equal((await chain.headerAt(n + 1))?.hash ?? null, inHex(script.blocks[n]?.hash ?? ''), fault);
      served.faults.push(fault, fault);
      const block = await chain.block(inHex(script.blocks[n]?.hash ?? ''), interestInAll);
      assert.equal(block?.number, n + 1, fault);
    }
  });

  it('is not trusted for a balance older than a transaction that was seen', async () => {
    const script = everyShape();
    const served = await server(script);
    const chain = await connect(served.url);
    const busy = script.blocks.length - 1;
    await chain.block(((await chain.headerAt(busy)) ?? assert.fail('the block is missing')).hash, interestInAll);
    const head = await chain.head();
    await chain.genesis();
    served.faults.push('behind', 'behind');
    assert.deepEqual(await chain.balances([{ address: bert, asset: native }], head), [String(script.balance(bert))]);
  });

  it('receives its key in a header, which is never shown', async () => {
    const script = everyShape();
    const served = await server(script);
    const url = `${served.url}/?api_key=secret-of-mine`;
    await keep(await tonChain([url], silent, longTimeouts)).head();
    assert(served.asked.every(({ key }) => key === 'secret-of-mine'));
    served.faults.push(...Array.from({ length: 20 }, () => 'failing' as const));
    const failing = keep(await tonChain([url], silent, { deadlineMs: 1500, timeoutMs: 1500 }));
    await assert.rejects(failing.headerAt(1), (error: Error) => !error.message.includes('secret-of-mine'));
  });

  it('is not asked for blocks while an index is available, and is once the index lags far behind', async () => {
    const [script, behind] = [createTonScript(-3), createTonScript(-3)];
    for (let n = 0; n < 10; n++) for (const one of [script, behind]) one.mine();
    for (let n = 0; n < 20; n++) script.mine();
    const [lagging, served] = [await index(behind), await server(script)];
    const chain = await connect(served.url, lagging.url);
    // Repeats the request, because the connector does not wait for the newer head if its source is much slower.
    const headAt = (wanted: number) =>
      eventually(async () => {
        const head = await chain.head();
        assert.equal(head.number, wanted);
        return head;
      });
    const { hash } = await headAt(10);
    served.asked.length = 0;
    await chain.block(hash, interestInAll);
    assert.deepEqual(served.asked, []);
    for (let n = 0; n < 20; n++) script.mine();
    const later = await headAt(18);
    assert.equal(later.hash, inHex(script.blocks[17]?.hash ?? ''));
    assert.equal((await chain.block(later.hash, interestInAll))?.number, 18);
  });

  it('leaves the check of transactions to the counts of an index that has recovered', async () => {
    const script = everyShape();
    const [one, other] = [await index(script), await server(script)];
    const chain = keep(await tonChain([one.url, other.url], silent, { ...longTimeouts, maxRestMs: 100 }));
    one.outage.isOn = true;
    const { hash } = (await chain.headerAt(2)) ?? assert.fail('the block is missing');
    one.outage.isOn = false;
    const before = one.asked.length;
    await eventually(async () => {
      await chain.genesis();
      assert(one.asked.length > before, 'the index is still put aside');
    });
    other.outage.isOn = true;
    one.faults.push('short page', 'empty page');
    const block = await chain.block(hash, interestInAll);
    const transactions = script.blocks[1]?.blocks.flatMap((shard) => shard.transactions) ?? [];
    assert.equal(block?.touches.length, transactions.length);
  });

  it('is excluded if it serves another network than the index next to it', async () => {
    const [script, other] = [everyShape(), createTonScript(-239)];
    for (let n = 0; n < 99; n++) other.mine();
    const chain = await connect((await index(script)).url, (await server(other)).url);
    assert.equal((await chain.head()).number, script.blocks.length);
  });
});
