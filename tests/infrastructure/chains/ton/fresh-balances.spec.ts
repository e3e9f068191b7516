import assert from 'node:assert/strict';
import { createTonScript, elector, jettonWalletOf, master } from '../../../support/chains/ton-script.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { createTonScene } from '../../../support/ton/scene.js';
import { startTonV2 } from '../../../support/ton/v2-server.js';

const [anna, bert] = ['anna', 'bert'].map(accountOf) as [string, string];
const holdings = [
  { address: anna, asset: { standard: 'native' } },
  { address: anna, asset: { standard: 'token', contract: master } },
] as const;

describe('the TON connector of a process that has read no block', () => {
  const { keep, index, connect } = createTonScene();
  const deposit = async (options: Parameters<typeof index>[1] = {}, blocksBefore = 1) => {
    const script = createTonScript(-3);
    const served = await index(script, options);
    for (let n = 0; n < blocksBefore; n++) script.mine();
    script.mine([
      { from: bert, to: anna, value: 5n },
      { from: bert, to: anna, value: 70n, kind: 'jetton' },
    ]);
    const expected = () => [String(script.balance(anna)), String(script.jettonBalance(jettonWalletOf(anna)))];
    const chain = await connect(served.url);
    const read = async () => chain.balances(holdings, await chain.head());
    return { script, served, read, expected };
  };

  it('accepts no balance of an index server that does not have the block yet', async () => {
    const { served, read, expected } = await deposit();
    await read();
    served.faults.push('behind', 'behind');
    assert.deepEqual(await read(), expected());
    assert.deepEqual(served.faults, []);
  });

  for (const reported of ['time', 'block'] as const)
    it(`accepts no balance of a wallet whose get method ran before the block, by the ${reported} of its state`, async () => {
      const { served, read, expected } = await deposit({ noWallets: true });
      Object.assign(served.getMethods, { reports: reported, behind: true });
      assert.deepEqual(await read(), [expected()[0], null]);
      served.getMethods.behind = false;
      assert.deepEqual(await read(), expected());
    });

  it('accepts no balance of a wallet that changed recently, if the index does not report when its get method ran', async () => {
    const { script, served, read, expected } = await deposit({ noWallets: true }, 130);
    served.getMethods.behind = true;
    assert.deepEqual(await read(), [expected()[0], null]);
    served.getMethods.behind = false;
    for (let n = 0; n < 128; n++) script.mine();
    assert.deepEqual(await read(), expected());
  });

  it('accepts no balance of a v2 server that does not have the block yet', async () => {
    const { script, expected } = await deposit();
    const server = keep(await startTonV2(script));
    const chain = await connect(server.url);
    const head = await chain.head();
    server.outdated.next = 2;
    assert.deepEqual(await chain.balances(holdings, head), expected());
    assert.equal(server.outdated.next, 0);
  });

  it('accepts balances on a network that has no elector or does not run it in every block', async () => {
    const without = await deposit();
    without.served.undeployed.add(elector);
    assert.deepEqual(await without.read(), without.expected());
    const idle = await deposit();
    idle.script.ticks.isOn = false;
    idle.script.mine();
    const chances = Array.from({ length: 8 }, () => idle.read().catch(() => null));
    assert.deepEqual((await Promise.all(chances)).at(-1) ?? (await idle.read()), idle.expected());
  });
});
