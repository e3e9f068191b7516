import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { App } from '../../../application/app.js';
import { createHandle, step } from '../../../application/commands/handle.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import { supervise } from '../../../application/processes/supervise.js';
import { webhookKey } from '../../../application/webhooks/webhook-stream.js';
import { webhook } from '../../../domain/aggregates/webhook.js';
import { readWhole } from '../../../interfaces/http/large-answer.js';
import { eventually } from '../../support/eventually.js';
import {
  allEvents,
  composeApp,
  contextOf,
  everyPage,
  openStores,
  processOf,
  unusedSender,
} from '../../support/following/following.js';
import { sized } from '../../support/run/tier.js';
import { testSystem } from '../../support/silent.js';

const context = contextOf(`org_${'a'.repeat(32)}`);
const endpoint = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };

describe('a removed webhook', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let app: App;
  let stop: AbortController;
  let running: Promise<unknown>[];
  beforeEach(async () => {
    stores = await openStores();
    app = composeApp(stores);
    stop = new AbortController();
    running = [];
    start('projector');
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(running);
    await stores.close();
  });
  const start = (name: string, of = app) =>
    running.push(supervise(name, processOf(of, name).run, stop.signal, testSystem));
  const caughtUp = async () => assert.ok(await app.progress.reached(await stores.events.head(), 120_000));

  const register = async () => (await app.webhooks.register(context, endpoint)).answer.webhook_id;
  const addHeader = async (webhookId: string | undefined) =>
    (await app.webhookHeaders.register(context, { webhookId, name: 'x-a', value: 'v' })).answer.webhook_header_id;
  const used = async (quota: string, by = context) => {
    await caughtUp();
    return (await app.quotas.list(by.organizationId)).find((one) => one.quota === quota)?.used;
  };
  const listed = async () => {
    await caughtUp();
    const webhooks = await everyPage((token) => app.webhooks.list(context, { size: 100, token }));
    const ids = [undefined, ...webhooks.map(({ webhook_id }) => webhook_id)];
    const headers = await Promise.all(ids.map(async (id) => readWhole(await app.webhookHeaders.list(context, id))));
    return { webhooks: webhooks.length, headers: headers.flat().length };
  };
  /** Removes a webhook as an earlier release did, which did not remove its headers. */
  const removeAlone = (webhookId: string, by = context) =>
    createHandle(stores.events, testSystem)(by, [
      step(webhook, by.organizationId, webhookKey(by, webhookId), { type: 'Remove', data: { webhookId } }),
    ]);
  const keys = async () => {
    const events = await allEvents(stores.events);
    const ids = events.flatMap(({ type, data }) =>
      type === 'WebhookHeaderRegistered' ? [(data as { headerId: string }).headerId] : [],
    );
    const found = await Promise.all(ids.map((id) => stores.state.get('vault', `webhook-header:${id}`)));
    return found.map((key) => key && 'key');
  };

  it('frees its headers and their secrets immediately, and leaves those of other webhooks', async () => {
    const [gone, kept] = [await register(), await register()];
    for (const webhookId of [gone, gone, kept, undefined]) await addHeader(webhookId);
    await caughtUp();
    const { position } = await app.webhooks.remove(context, gone);
    assert.equal(position, await stores.events.head());
    assert.equal(await used('webhook_headers'), 2);
    assert.deepEqual(await keys(), [null, null, 'key', 'key']);
    await assert.rejects(app.webhooks.remove(context, gone), { code: 'NOT_FOUND' });
  });

  it('frees the headers that an earlier version left behind', async () => {
    const [gone, kept] = [await register(), await register()];
    for (let n = 0; n < 120; n++) await addHeader(n % 2 === 0 && n < 100 ? gone : undefined);
    await addHeader(kept);
    await removeAlone(gone);
    assert.equal(await used('webhook_headers'), 121);
    start('webhook header cleanup');
    await eventually(async () => assert.equal(await used('webhook_headers'), 71));
    await eventually(async () => assert.equal((await keys()).filter((one) => one === null).length, 50));
  });

  it("frees its headers although another organization's webhook cannot be read", async () => {
    const failing = contextOf(`org_${'f'.repeat(32)}`);
    for (const by of [failing, context]) {
      const gone = (await app.webhooks.register(by, endpoint)).answer.webhook_id;
      await app.webhookHeaders.register(by, { webhookId: gone, name: 'x-a', value: 'v' });
      await removeAlone(gone, by);
    }
    assert.equal(await used('webhook_headers'), 1);
    let isFailing = true;
    const events: EventStore = {
      ...stores.events,
      read: async (stream, deadline) => {
        if (isFailing && stream.startsWith(`${failing.organizationId}.`)) throw new Error('this stream cannot be read');
        return stores.events.read(stream, deadline);
      },
    };
    start('webhook header cleanup', composeApp({ ...stores, events }));
    await eventually(async () => assert.equal(await used('webhook_headers'), 0));
    assert.equal(await used('webhook_headers', failing), 1);
    isFailing = false;
    await eventually(async () => assert.equal(await used('webhook_headers', failing), 0));
  });

  it('frees a header that is registered at the moment of the removal', async () => {
    const gone = await register();
    await caughtUp();
    const events: EventStore = {
      ...stores.events,
      append: async (writes) => {
        await app.webhooks.remove(context, gone);
        return stores.events.append(writes);
      },
    };
    const racing = composeApp({ ...stores, events });
    await racing.webhookHeaders.register(context, { webhookId: gone, name: 'x-a', value: 'v' });
    assert.equal(await used('webhook_headers'), 1);
    start('webhook header cleanup');
    await eventually(async () => assert.equal(await used('webhook_headers'), 0));
  });

  it('leaves usage counts that equal the number of listed items after any changes', async () => {
    start('webhook header cleanup');
    const change = fc.record({
      what: fc.constantFrom('register', 'header', 'header', 'header', 'remove', 'remove alone', 'remove header'),
      which: fc.nat(5),
    });
    const check = async (changes: readonly { what: string; which: number }[]) => {
      const [webhookIds, headerIds]: [(string | undefined)[], string[]] = [[undefined], []];
      for (const { what, which } of changes) {
        const webhookId = webhookIds[which % webhookIds.length];
        const headerId = headerIds[which % headerIds.length] ?? 'none';
        const work: Record<string, () => Promise<unknown>> = {
          register: async () => webhookIds.push(await register()),
          header: async () => headerIds.push(await addHeader(webhookId)),
          remove: () => app.webhooks.remove(context, webhookId ?? 'none'),
          'remove alone': () => removeAlone(webhookId ?? 'none'),
          'remove header': () => app.webhookHeaders.remove(context, headerId),
        };
        await work[what]?.().catch(({ code }) => assert.equal(code, 'NOT_FOUND'));
      }
      await eventually(async () => {
        const shown = await listed();
        assert.deepEqual([await used('webhooks'), await used('webhook_headers')], [shown.webhooks, shown.headers]);
      });
    };
    await fc.assert(fc.asyncProperty(fc.array(change, { maxLength: 20 }), check), { numRuns: sized(5, 20) });
  });
});

describe('a webhook header that cannot be sent', () => {
  it('is rejected with a fault that names the invalid part', async () => {
    const stores = await openStores();
    for (const [part, path] of [
      ['name', '/header_key'],
      ['value', '/header_value'],
    ] as const) {
      const checkHeader = () => ({ part, reason: 'cannot be sent' });
      const { webhookHeaders } = composeApp(stores, { sender: { ...unusedSender, checkHeader } });
      await assert.rejects(webhookHeaders.register(context, { webhookId: undefined, name: 'x', value: 'v' }), {
        code: 'INVALID_ARGUMENT',
        faults: [{ path, message: 'cannot be sent' }],
      });
    }
    await stores.close();
  });
});
