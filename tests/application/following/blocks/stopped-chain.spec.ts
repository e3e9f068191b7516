import assert from 'node:assert/strict';
import { readReached } from '../../../../application/following/progress/cursor-store.js';
import type { Variant } from '../../../../domain/variant.js';
import { eventually } from '../../../support/eventually.js';
import { ann } from '../../../support/following/followed-wallet.js';
import {
  composeApp,
  contextOf,
  openStores,
  type Running,
  runFollowers,
  transfersOf,
  variantOf,
} from '../../../support/following/following.js';
import { forkOf, headerChain, headersOf } from '../../../support/following/header-chain.js';

const chainsOf = (stopped: Variant, other: Variant) => ({
  stopped: { variant: stopped, script: { headers: headersOf('a', 41) } },
  other: { variant: other, script: { headers: headersOf('b', 20), payments: { b30: { to: ann, value: '5' } } } },
});

for (const [first, second] of [
  ['c', 'p'],
  ['p', 'c'],
] as const)
  describe(`a chain (${first}) whose final block was replaced, followed by the same process as another (${second})`, () => {
    const { stopped, other } = chainsOf(variantOf(first), variantOf(second));
    let stores: Awaited<ReturnType<typeof openStores>>;
    let running: Running;
    const followerOf = ({ tag }: Variant) =>
      running.app.followers.find(({ variant }) => variant === tag) ?? assert.fail(`nothing follows ${tag}`);
    const heightOf = (variant: Variant) => followerOf(variant).status()?.height;

    before(async () => {
      stores = await openStores();
      const chains = [stopped, other].map(
        ({ variant, script }) => [variant.tag, { chain: headerChain(script), isNew: false }] as const,
      );
      running = runFollowers(composeApp(stores, { chains: new Map(chains) }));
      await eventually(() =>
        assert.deepEqual(
          [stopped, other].map(({ variant }) => heightOf(variant)),
          [40, 19],
        ),
      );
    });
    after(async () => {
      await running.stop();
      await stores.close();
    });

    it('stops alone: blocks and transfers of the other chain are still recorded', async () => {
      const by = contextOf('org_two_chains', other.variant);
      const wallet = { name: 'ann', address: ann, importAsset: false, confirmation: undefined };
      const { wallet_id: walletId } = (await running.app.wallets.register(by, wallet)).answer;
      await eventually(async () =>
        assert.ok(((await readReached(stores.state, stopped.variant.tag))?.final.number ?? 0) >= 30),
      );
      stopped.script.headers = forkOf(headersOf('a', 41), 20, 'f', 30);
      await eventually(() => assert.match(followerOf(stopped.variant).alarm() ?? '', /was final and was replaced/));
      other.script.headers = headersOf('b', 60);
      await eventually(async () => {
        assert.equal(heightOf(other.variant), 59);
        const [found, ...more] = await transfersOf(running.app, by, walletId);
        assert.deepEqual([found?.block_hash, more], ['b30', []]);
      });
      assert.equal(followerOf(other.variant).alarm(), null);
      assert.equal(heightOf(stopped.variant), 40);
      assert.match(followerOf(stopped.variant).alarm() ?? '', /was final and was replaced/);
    });
  });
