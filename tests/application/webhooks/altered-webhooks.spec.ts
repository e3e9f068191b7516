import assert from 'node:assert/strict';
import type { App } from '../../../application/app.js';
import type { ShownHeader } from '../../../application/webhooks/headers.js';
import { readWhole } from '../../../interfaces/http/large-answer.js';
import {
  type WebhookDocument,
  type WebhookHeaderDocument,
  webhookHeaders,
  webhooks,
} from '../../../projections/webhooks.js';
import { composeApp, contextOf, openStores } from '../../support/following/following.js';

const context = contextOf(`org_${'a'.repeat(32)}`);
const registration = (endpoint: string) => ({ walletId: undefined, endpoint, confirmation: 1 });
const isChanged = { code: 'UNAVAILABLE', message: /was changed in the store after its secret was sealed/ };

describe('a webhook that was changed in the store', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let app: App;
  let stop: AbortController;
  let running: Promise<unknown>;
  let [own, other] = ['', ''];
  /** Changes made by an attacker with write access to the read models. */
  let spoil: { webhook?: Partial<WebhookDocument>; header?: Partial<WebhookHeaderDocument> };

  beforeEach(async () => {
    stores = await openStores();
    [spoil, stop] = [{}, new AbortController()];
    const { readModels } = stores;
    const spoiled: typeof readModels = {
      ...readModels,
      get: async (collection, key) => {
        const found = await readModels.get(collection, key);
        return found && (collection as object) === webhooks ? { ...found, ...spoil.webhook } : found;
      },
      page: async (collection, ...rest) => {
        const page = await readModels.page(collection, ...rest);
        const isOwn = (one: unknown) => (one as WebhookDocument).webhook_id === own;
        const changes =
          new Map<object, object | undefined>([
            [webhooks, spoil.webhook],
            [webhookHeaders, spoil.header],
          ]).get(collection) ?? {};
        return { ...page, documents: page.documents.map((one) => (isOwn(one) ? { ...one, ...changes } : one)) };
      },
    };
    app = composeApp({ ...stores, readModels: spoiled });
    running = app.projector.run(stop.signal);
    own = (await app.webhooks.register(context, registration('https://receiver.example/'))).answer.webhook_id;
    other = (await app.webhooks.register(context, registration('https://other.example/'))).answer.webhook_id;
    const header = { webhookId: own, name: 'authorization', value: 'Bearer x' };
    const { position } = await app.webhookHeaders.register(context, header);
    assert.ok(await app.progress.reached(position, 60_000));
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await stores.close();
  });

  const shownValue = async () =>
    ((await readWhole(await app.webhookHeaders.list(context, own))) as ShownHeader[])[0]?.header_value;

  it('is decrypted as registered', async () => {
    assert.match((await app.webhooks.find(context, own))?.secret ?? '', /^whsec_/);
    assert.equal(await shownValue(), 'Bearer x');
  });

  it('does not decrypt its secret for another endpoint, so that nothing is posted there', async () => {
    spoil = { webhook: { endpoint: 'https://thief.example/' } };
    await assert.rejects(app.webhooks.find(context, own), isChanged);
  });

  it('is listed without a public key, next to others with theirs', async () => {
    spoil = { webhook: { endpoint: 'https://thief.example/' } };
    const { documents } = await app.webhooks.list(context, { size: 10, token: '' });
    const keys = new Map(documents.map(({ webhook_id, public_key }) => [webhook_id, public_key]));
    assert.equal(keys.get(own), '');
    assert.match(keys.get(other) ?? '', /^whpk_/);
  });

  it('does not decrypt a header for another webhook, for all webhooks or under another name', async () => {
    for (const header of [{ webhook_id: other }, { webhook_id: '' }, { name: 'x-echoed' }]) {
      spoil = { header };
      await assert.rejects(shownValue(), isChanged);
      spoil = {};
      assert.equal(await shownValue(), 'Bearer x');
    }
  });

  it('does not decrypt a previous secret whose overlap was prolonged, nor another secret in its place', async () => {
    const { position } = await app.webhooks.rotateSecret(context, own);
    assert.ok(await app.progress.reached(position, 60_000));
    const stored = await stores.readModels.get(webhooks, { scope: `${context.organizationId}/C`, id: own });
    const previous = stored?.previous_secret ?? assert.fail('no previous secret');
    assert.ok((await app.webhooks.find(context, own))?.previous);
    spoil = { webhook: { previous_secret: { ...previous, until: previous.until + 1 } } };
    await assert.rejects(app.webhooks.find(context, own), isChanged);
    spoil = { webhook: { previous_secret: { ...previous, sealed: stored?.sealed_secret ?? '' } } };
    await assert.rejects(app.webhooks.find(context, own), isChanged);
  });

  it('decrypts secrets that were sealed when they were bound only to their organization', async () => {
    spoil = {
      webhook: { sealed_secret: await stores.vault.seal(`webhook:${own}`, 'whsec_old', context.organizationId) },
    };
    assert.equal((await app.webhooks.find(context, own))?.secret, 'whsec_old');
  });
});
