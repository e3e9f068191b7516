import assert from 'node:assert/strict';
import { tonChain } from '../../../../infrastructure/chains/ton/connector.js';
import { startTonIndex } from '../../../support/chains/ton-index.js';
import { createTonScript } from '../../../support/chains/ton-script.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { eventually } from '../../../support/eventually.js';
import {
  coinsOf,
  contextOf,
  openStores,
  startFollowing,
  transfersOf,
  variantOf,
} from '../../../support/following/following.js';
import { silent } from '../../../support/silent.js';

const variant = variantOf('t');
const [anna, bert] = ['anna', 'bert'].map(accountOf) as [string, string];
const by = contextOf('org_a', variant);

describe('a follower of TON that restarts before it has read the balance of a deposit', () => {
  it('does not record a balance from before the deposit, which an index server that lags still returns', async () => {
    const script = createTonScript(-3);
    script.mine();
    const index = await startTonIndex(script);
    const stores = await openStores();
    const start = async () => {
      const chain = await tonChain([index.url], silent, { deadlineMs: 20_000, timeoutMs: 10_000, maxRestMs: 200 });
      const running = startFollowing(stores, chain, { variant, fromGenesis: false });
      const followed = () =>
        eventually(async () => assert.equal(running.app.followers[0]?.status()?.height, script.blocks.length));
      await followed();
      const stop = async () => {
        await running.stop();
        await chain.close();
      };
      return { app: running.app, followed, stop };
    };
    let { app, followed, stop } = await start();
    try {
      const { answer } = await app.wallets.register(by, { name: 'a', address: anna } as never);
      const walletId = answer.wallet_id;
      await eventually(async () =>
        assert.equal((await app.addresses.list(by, walletId, { size: 9, token: undefined })).documents.length, 1),
      );
      index.outdated.next = Number.POSITIVE_INFINITY;
      script.mine([{ from: bert, to: anna, value: 5n }]);
      await followed();
      await eventually(async () => assert.equal((await transfersOf(app, by, walletId)).length, 1));
      await stop();
      index.outdated.next = 2;
      ({ app, followed, stop } = await start());
      await eventually(async () => assert.equal((await coinsOf(app, by, walletId)).length, 1));
      assert.deepEqual(
        (await coinsOf(app, by, walletId)).map(({ balance }) => balance),
        [String(script.balance(anna))],
      );
    } finally {
      await stop();
      await index.close();
      await stores.close();
    }
  });
});
