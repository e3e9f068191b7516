import assert from 'node:assert/strict';
import type { App } from '../../../application/app.js';
import { createHandle, step } from '../../../application/commands/handle.js';
import type { Change } from '../../../application/ports/read-models.js';
import { headerKeyId } from '../../../application/webhooks/headers.js';
import { webhookKeyId } from '../../../application/webhooks/registration/secrets.js';
import { webhookKey, webhookStep } from '../../../application/webhooks/webhook-stream.js';
import { webhookHeader } from '../../../domain/aggregates/webhook-header.js';
import { examineWebhooks } from '../../../infrastructure/doctor/webhooks.js';
import { webhookHeaders, webhooks } from '../../../projections/webhooks.js';
import { composeApp, contextOf, openStores } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const organizationId = `org_${'a'.repeat(32)}`;
const context = contextOf(organizationId);
const endpoint = 'https://receiver.example/';
const header = { name: 'authorization', value: 'Bearer x' };
const alone = (id: string | undefined) => `${id} of ${organizationId} (1 in total)`;

describe('the check of webhooks by the doctor', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let app: App;
  let stop: AbortController;
  let running: Promise<unknown>;
  beforeEach(async () => {
    stores = await openStores();
    stop = new AbortController();
    app = composeApp(stores);
    running = app.projector.run(stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await stores.close();
  });

  const shown = async (position: number) => {
    assert.ok(await app.progress.reached(position, 60_000));
    const findings = await examineWebhooks(stores);
    return findings.map(({ level, found }) => [level, found.split(': ').at(-1)]);
  };
  const allBound = (secrets: number, values: number) => [
    ['ok', `${secrets} secrets of webhooks can be decrypted, each bound to what it is for`],
    ['ok', `${values} values of webhook headers can be decrypted, each bound to what it is for`],
  ];
  const register = async () => {
    const { webhook_id } = (await app.webhooks.register(context, { walletId: undefined, endpoint, confirmation: 1 }))
      .answer;
    const { answer, position } = await app.webhookHeaders.register(context, { webhookId: webhook_id, ...header });
    return { webhookId: webhook_id, headerId: answer.webhook_header_id, position };
  };
  /** Registers a webhook and a header as an earlier version did, which bound secrets only to their organization. */
  const registerOlder = async () => {
    const [webhookId, headerId] = [`whk_${'b'.repeat(32)}`, `hdr_${'c'.repeat(32)}`];
    const sealedSecret = await stores.vault.seal(webhookKeyId(webhookId), 'whsec_old', organizationId);
    const sealedValue = await stores.vault.seal(headerKeyId(headerId), header.value, organizationId);
    const position = await createHandle(stores.events, testSystem)(context, [
      webhookStep(context, { type: 'Register', data: { webhookId, endpoint, confirmation: 1, sealedSecret } }),
      step(webhookHeader, organizationId, webhookKey(context, headerId), {
        type: 'Register',
        data: { headerId, webhookId, name: header.name, sealedValue },
      }),
    ]);
    return { webhookId, headerId, position };
  };
  /** Writes documents into the read models, like an attacker. */
  const write = async (...changes: readonly Change[]) => {
    const from = await stores.readModels.checkpoint();
    assert.ok(await stores.readModels.commit(changes, from, from.positions));
  };

  it('finds nothing wrong with webhooks and headers that this version registered', async () => {
    assert.deepEqual(await shown(0), allBound(0, 0));
    assert.deepEqual(await shown((await register()).position), allBound(1, 1));
  });

  it('counts secrets that were bound only to their organization, until they are rotated and set again', async () => {
    await register();
    const { webhookId, headerId, position } = await registerOlder();
    assert.deepEqual(await shown(position), [
      ['warn', alone(webhookId)],
      ['warn', alone(headerId)],
    ]);
    const advice = (await examineWebhooks(stores)).map((one) => one.advice);
    assert.match(advice[0] ?? '', /^call RotateWebhookSecret, /);
    assert.match(advice[1] ?? '', /^call RemoveWebhookHeader and RegisterWebhookHeader; /);

    await app.webhooks.rotateSecret(context, webhookId);
    await app.webhookHeaders.remove(context, headerId);
    const set = await app.webhookHeaders.register(context, { webhookId, ...header });
    assert.deepEqual(await shown(set.position), allBound(2, 2));
  });

  it('fails for a webhook with another endpoint and a header of another webhook', async () => {
    const { headerId, webhookId, position } = await register();
    await shown(position);
    const scope = `${organizationId}/${context.variant.tag}`;
    const webhook = await stores.readModels.get(webhooks, { scope, id: webhookId });
    const value = await stores.readModels.get(webhookHeaders, { scope, id: headerId });
    await write(
      { collection: webhooks, scope, id: webhookId, document: { ...webhook, endpoint: 'https://thief.example/' } },
      { collection: webhookHeaders, scope, id: headerId, document: { ...value, webhook_id: '' } },
    );
    assert.deepEqual(await shown(position), [
      ['fail', alone(webhookId)],
      ['fail', alone(headerId)],
    ]);
  });
});
