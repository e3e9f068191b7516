import assert from 'node:assert/strict';
import type { App } from '../../../application/app.js';
import type { Vault } from '../../../application/ports/vault.js';
import type { ShownHeader } from '../../../application/webhooks/headers.js';
import { createWebhookTargetCache, type Targets } from '../../../application/webhooks/target-cache.js';
import { readWhole } from '../../../interfaces/http/large-answer.js';
import { until } from '../../support/eventually.js';
import { composeApp, contextOf, openStores } from '../../support/following/following.js';

const context = contextOf(`org_${'a'.repeat(32)}`);
const other = contextOf(`org_${'b'.repeat(32)}`);

describe('the webhook target cache', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let app: App;
  let targets: Targets;
  let stop: AbortController;
  let running: Promise<unknown>;
  let webhookId: string;
  let opened: number;
  beforeEach(async () => {
    stores = await openStores();
    [opened, stop] = [0, new AbortController()];
    const vault: Vault = {
      ...stores.vault,
      open: (...given) => {
        opened++;
        return stores.vault.open(...given);
      },
    };
    app = composeApp(stores, { vault });
    targets = createWebhookTargetCache({
      readModels: stores.readModels,
      webhooks: app.webhooks,
      headers: app.webhookHeaders,
    });
    running = app.projector.run(stop.signal);
    const wanted = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };
    webhookId = (await shown(app.webhooks.register(context, wanted))).webhook_id;
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await stores.close();
  });

  /** Waits until the read models include a command, as the service does before it responds, and returns the answer. */
  const shown = async <T>(done: Promise<{ answer: T; position: number }>) => {
    const { answer, position } = await done;
    await until('the command is shown', async () => (await app.progress.refresh()) >= position);
    return answer;
  };
  const headers = async () => (await targets.find(context, webhookId))?.headers.map(([name]) => name);
  const header = (name: string, of: string | undefined) => ({ webhookId: of, name, value: 'v' });

  it('reads a webhook once while nothing changes', async () => {
    const first = await targets.find(context, webhookId);
    assert.match(first?.secret ?? '', /^whsec_./);
    assert.equal(await targets.find(context, webhookId), first);
    assert.equal(opened, 1);
  });

  it('shows every acknowledged change', async () => {
    assert.deepEqual(await headers(), []);
    await shown(app.webhookHeaders.register(context, header('own', webhookId)));
    assert.deepEqual(await headers(), ['own']);
    const { webhook_header_id } = await shown(app.webhookHeaders.register(context, header('all', undefined)));
    assert.deepEqual(await headers(), ['all', 'own']);
    await shown(app.webhookHeaders.remove(context, webhook_header_id));
    assert.deepEqual(await headers(), ['own']);
    await shown(app.webhooks.remove(context, webhookId));
    assert.equal(await targets.find(context, webhookId), null);
  });

  it('decrypts header values once, however often they are listed', async () => {
    for (const name of ['one', 'two', 'three'])
      await shown(app.webhookHeaders.register(context, header(name, webhookId)));
    opened = 0;
    const list = async () => (await readWhole(await app.webhookHeaders.list(context, webhookId))) as ShownHeader[];
    for (const one of await Promise.all(Array.from({ length: 100 }, list)))
      assert.deepEqual(
        one.map(({ header_value }) => header_value),
        ['v', 'v', 'v'],
      );
    assert.equal(opened, 3);
  });

  it('hides a webhook from other organizations', async () => {
    await targets.find(context, webhookId);
    assert.equal(await targets.find(other, webhookId), null);
  });
});
