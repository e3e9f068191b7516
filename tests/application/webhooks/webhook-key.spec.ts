import assert from 'node:assert/strict';
import type { Vault } from '../../../application/ports/vault.js';
import { until } from '../../support/eventually.js';
import { composeApp, contextOf, openStores } from '../../support/following/following.js';

const [one, other] = ['a', 'b'].map((digit) => contextOf(`org_${digit.repeat(32)}`)) as [Context, Context];
type Context = ReturnType<typeof contextOf>;
const firstPage = { size: 100, token: undefined };

describe('the public key of a webhook', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let opened: number;
  let stop: AbortController;
  let running: Promise<unknown>;
  let ids: readonly string[];
  beforeEach(async () => {
    stores = await openStores();
    stop = new AbortController();
    const app = start();
    running = app.projector.run(stop.signal);
    const register = async (by: Context) => {
      const wanted = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };
      return (await app.webhooks.register(by, wanted)).answer.webhook_id;
    };
    ids = [await register(one), await register(one), await register(other)];
    const head = await stores.events.head();
    await until('the webhooks are shown', async () => (await app.progress.refresh()) >= head);
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await stores.close();
  });
  /** Composes the application again, as another process on the same stores would. */
  const start = () => {
    opened = 0;
    const vault: Vault = {
      ...stores.vault,
      open: (...given) => {
        opened++;
        return stores.vault.open(...given);
      },
    };
    return composeApp(stores, { vault });
  };
  const keysIn = async (by: Context, app = start()) => {
    const { documents } = await app.webhooks.list(by, firstPage);
    return new Map(documents.map(({ webhook_id, public_key }) => [webhook_id, public_key]));
  };

  it('is unique to the webhook, and the same in every list and process', async () => {
    const listed = new Map([...(await keysIn(one)), ...(await keysIn(other))]);
    assert.deepEqual(new Set(listed.keys()), new Set(ids));
    assert.equal(new Set(listed.values()).size, 3);
    for (const [id, key] of listed) {
      assert.match(key, /^whpk_[A-Za-z0-9+/]{43}=$/);
      const by = id === ids[2] ? other : one;
      assert.equal((await start().webhooks.find(by, id))?.public_key, key);
    }
  });

  it('is derived once, however often it is listed', async () => {
    const app = start();
    assert.deepEqual(await keysIn(one, app), await keysIn(one, app));
    assert.equal(opened, 2);
  });

  it("is gone once the webhook's secret is destroyed, and other keys remain", async () => {
    const before = await keysIn(one);
    const [lost = '', kept = ''] = ids;
    await stores.vault.destroyKey(`webhook:${lost}`);
    assert.deepEqual(await keysIn(one), new Map([...before, [lost, '']]));
    assert.equal((await start().webhooks.find(one, lost))?.public_key, '');
    assert.equal((await start().webhooks.find(one, kept))?.public_key, before.get(kept));
  });
});
