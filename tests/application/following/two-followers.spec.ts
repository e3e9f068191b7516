import assert from 'node:assert/strict';
import { type Upcasters, upcasters } from '../../../domain/upcasters.js';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { evmChain } from '../../../infrastructure/chains/evm/connector.js';
import { eventually } from '../../support/eventually.js';
import { allEvents, contextOf, openStores, type Running, startFollowing } from '../../support/following/following.js';
import { skip } from '../../support/run/skip.js';
import { silent } from '../../support/silent.js';

const payments = 12;
const nextRelease: Upcasters = { ...upcasters, WalletRegistered: { up: [] } };

describe('two followers of one chain', () => {
  let chain: DevelopmentChain;
  let stores: Awaited<ReturnType<typeof openStores>>;
  const followers: Running[] = [];
  const closing: (() => unknown)[] = [];
  before(async function () {
    const started = await startDevelopmentEvm({ blockMs: 0, log: silent });
    if (!started) return skip(this, 'two followers at once (EDR is not there for this machine)');
    chain = started;
    stores = await openStores();
    for (let n = 0; n < 2; n++) {
      const connected = await evmChain([chain.url], silent);
      // Two releases use separate leases, so that both followers work at the same time.
      followers.push(startFollowing(stores, connected, n > 0 ? { versions: nextRelease } : {}));
      closing.push(() => connected.close());
    }
  });
  after(async () => {
    for (const follower of followers) await follower.stop();
    for (const close of closing) await close();
    await stores?.close();
    await chain?.close();
  });

  it('observe every transfer once and notify webhooks once, even through a reorganization', async () => {
    const context = contextOf('org_two');
    const address = `0x${'a2'.repeat(20)}`;
    const { app } = followers[0] as Running;
    await app.wallets.register(context, { name: 'watched', address, importAsset: false, confirmation: 2 });
    await app.webhooks.register(context, {
      walletId: undefined,
      endpoint: 'https://example.com/hook',
      confirmation: 2,
    });
    for (let n = 1; n <= payments; n++)
      await chain.request('dev_transfer', [{ variant: 'c', to: address, value: String(n) }]);
    await chain.request('dev_reorg', [3]);
    await chain.request('dev_mine', [4]);
    await eventually(async () => {
      const events = await allEvents(stores.events);
      const deliveries = events.filter(({ type }) => type === 'DeliveryRequested');
      const values = deliveries.map(
        ({ data }) => (data as { data: { transfer: { value: string } } }).data.transfer.value,
      );
      assert.deepEqual(
        values.toSorted((a, b) => Number(a) - Number(b)),
        Array.from({ length: payments }, (_, n) => String(n + 1)),
      );
    });
    const events = await allEvents(stores.events);
    assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
    const observed = events.flatMap(({ type, data }) => {
      if (type !== 'TransferObserved') return [];
      const { transfer, block } = data as { transfer: { transaction: string; index: string }; block: { hash: string } };
      return [`${transfer.transaction} ${transfer.index} ${block.hash}`];
    });
    assert.equal(new Set(observed).size, observed.length);
    // Slow balance reads may end after the webhooks were notified.
    await eventually(async () =>
      assert.ok((await allEvents(stores.events)).some(({ type }) => type === 'BalanceRead')),
    );
  });
});
