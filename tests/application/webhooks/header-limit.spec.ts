import assert from 'node:assert/strict';
import type { App } from '../../../application/app.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import { Failure } from '../../../domain/failure.js';
import { headersPerWebhook } from '../../../domain/quota.js';
import { readWhole } from '../../../interfaces/http/large-answer.js';
import { allEvents, composeApp, contextOf, openStores } from '../../support/following/following.js';

const context = contextOf(`org_${'a'.repeat(32)}`);
const endpoint = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };
const extra = 20;

describe('the limit of headers of a webhook', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let app: App;
  let stopProjector: () => Promise<void>;
  beforeEach(async () => {
    stores = await openStores();
    app = composeApp(stores);
    stopProjector = async () => undefined;
  });
  afterEach(async () => {
    await stopProjector();
    await stores.close();
  });
  const startProjector = () => {
    const stop = new AbortController();
    const running = app.projector.run(stop.signal);
    stopProjector = async () => {
      stop.abort();
      await running;
    };
  };
  const caughtUp = async () => assert.ok(await app.progress.reached(await stores.events.head(), 120_000));
  const register = async () => (await app.webhooks.register(context, endpoint)).answer.webhook_id;
  const addHeader = async (webhookId: string, idSeed?: string, of = app) => {
    const wanted = { webhookId, name: 'x-a', value: 'v' };
    return (await of.webhookHeaders.register({ ...context, idSeed }, wanted)).answer.webhook_header_id;
  };
  /** Registers headers concurrently, and returns the outcome of each: `stored` or the message of the refusal. */
  const addMany = (webhookId: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        addHeader(webhookId).then(
          () => 'stored',
          (error: unknown) => {
            assert.ok(error instanceof Failure && error.code === 'QUOTA_EXCEEDED', String(error));
            return error.message;
          },
        ),
      ),
    );
  const refusal = `A webhook may have at most ${headersPerWebhook} headers. Remove one first.`;
  const tally = (outcomes: readonly string[]) =>
    ['stored', refusal].map((outcome) => outcomes.filter((one) => one === outcome).length);
  const stored = async () => {
    const events = (await allEvents(stores.events)).filter(({ type }) => type === 'WebhookHeaderRegistered');
    const keys = await stores.state.ids('vault', 'webhook-header:');
    return [events.length, keys.filter((id) => id.startsWith('webhook-header:')).length];
  };

  for (const isLate of [false, true])
    it(`is exact for concurrent requests${isLate ? ', also while no header is shown yet' : ''}`, async () => {
      if (!isLate) startProjector();
      const [full, other] = [await register(), await register()];
      const outcomes = await addMany(full, headersPerWebhook + extra);
      assert.deepEqual(tally(outcomes), [headersPerWebhook, extra]);
      assert.deepEqual(tally(await addMany(full, 2)), [0, 2]);
      assert.deepEqual(tally(await addMany(other, 3)), [3, 0]);
      assert.deepEqual(await stored(), [headersPerWebhook + 3, headersPerWebhook + 3]);
    });

  it('has room for one more after a removal, and lets a retry of a stored registration pass', async () => {
    startProjector();
    const full = await register();
    await addMany(full, headersPerWebhook - 1);
    const last = await addHeader(full, 'retried');
    assert.equal(await addHeader(full, 'retried'), last);
    await caughtUp();
    assert.equal(await addHeader(full, 'retried'), last);
    await app.webhookHeaders.remove(context, last);
    await caughtUp();
    assert.deepEqual(tally(await addMany(full, 2)), [1, 1]);
    await caughtUp();
    assert.equal([await readWhole(await app.webhookHeaders.list(context, full))].flat().length, headersPerWebhook);
  });

  it('counts no registration that could not be stored', async () => {
    let isBroken = true;
    const events: EventStore = {
      ...stores.events,
      append: async (...given) => {
        if (isBroken) throw new Error('the disk is full');
        return stores.events.append(...given);
      },
    };
    const full = await register();
    const failing = composeApp({ ...stores, events });
    for (let n = 0; n < headersPerWebhook; n++)
      await assert.rejects(addHeader(full, undefined, failing), { message: 'the disk is full' });
    isBroken = false;
    assert.match(await addHeader(full, undefined, failing), /^hdr_/);
  });
});
