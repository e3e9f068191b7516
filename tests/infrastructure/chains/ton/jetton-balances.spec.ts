import assert from 'node:assert/strict';
import type { Interest } from '../../../../application/ports/chain.js';
import { createTonScript, jettonWalletOf, master } from '../../../support/chains/ton-script.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { createTonScene } from '../../../support/ton/scene.js';

const [anna, bert] = ['anna', 'bert'].map(accountOf) as [string, string];
const jettons = { standard: 'token', contract: master } as const;
const native = { standard: 'native' } as const;

describe('the TON connector with an index that asks jetton wallets for their balances', () => {
  const { index, connect } = createTonScene();
  const holdings = [
    { address: anna, asset: jettons },
    { address: bert, asset: native },
  ];
  const interest: Interest = {
    address: () => true,
    contract: () => true,
    tokenAccounts: (account) => (account === jettonWalletOf(anna) ? [{ owner: anna, asset: jettons }] : []),
  };
  const deposit = async () => {
    const script = createTonScript(-3);
    const served = await index(script, { noWallets: true });
    script.mine();
    const chain = await connect(served.url);
    await chain.tokens({ owner: anna, asset: jettons, account: undefined });
    script.mine([{ from: bert, to: anna, value: 70n, kind: 'jetton' }]);
    const head = await chain.head();
    await chain.block(head.hash, interest);
    const read = async () => chain.balances(holdings, await chain.head());
    return { script, served, read, coins: String(script.balance(bert)) };
  };

  for (const reported of ['time', 'block'] as const)
    it(`accepts no balance older than a transaction it has seen, by the ${reported} that the index reports`, async () => {
      const { served, read, coins } = await deposit();
      Object.assign(served.getMethods, { reports: reported, behind: true });
      assert.deepEqual(await read(), [null, coins]);
      served.getMethods.behind = false;
      assert.deepEqual(await read(), ['1000000070', coins]);
    });

  it('accepts a balance without a time only long after the last transaction', async () => {
    const { script, read, coins } = await deposit();
    assert.deepEqual(await read(), [null, coins]);
    for (let n = 0; n < 128; n++) script.mine();
    assert.deepEqual(await read(), ['1000000070', coins]);
  });
});
