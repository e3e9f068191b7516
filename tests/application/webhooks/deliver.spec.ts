import assert from 'node:assert/strict';
import type { App } from '../../../application/app.js';
import type { Job, JobOutcome, Jobs } from '../../../application/ports/jobs.js';
import type { Letter, Reception, Sender } from '../../../application/ports/sender.js';
import { deliveryIdFor } from '../../../application/webhooks/deliveries.js';
import { composeApp, contextOf, openStores, processOf } from '../../support/following.js';
import { testSystem } from '../../support/silent.js';

const hour = 3_600_000;
const context = contextOf(`org_${'a'.repeat(32)}`);

/** The deliverer alone, on a clock of its own and with a queue that is told what to do next. */
describe('the deliverer on a clock that is set', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let app: App;
  let run: (job: Job) => Promise<JobOutcome>;
  let stop: AbortController;
  let running: Promise<unknown>;
  let webhookId: string;
  let now: number;
  let status: number;
  let letters: Letter[];
  let asked = 0;
  let answers: Promise<Partial<Reception>>;
  let hangUp: () => void;

  beforeEach(async () => {
    stores = await openStores();
    [now, status, letters, stop] = [Date.now(), 500, [], new AbortController()];
    [answers, hangUp] = [Promise.resolve({}), () => undefined];
    const jobs: Jobs = {
      ...stores.jobs,
      work: async (work, signal) => {
        run = work.run;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    };
    const sender: Sender = {
      check: () => null,
      checkHeader: () => null,
      post: async (letter) => {
        letters.push(letter);
        return { status, failure: '', durationMs: 1, answer: '', retryAt: null, ...(await answers) };
      },
      close: async () => hangUp(),
    };
    const system = { ...testSystem, now: () => now, sleep: () => Promise.resolve() };
    app = composeApp(stores, { jobs, sender, system });
    running = Promise.all([app.projector.run(stop.signal), processOf(app, 'deliverer').run(stop.signal)]);
    const wanted = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };
    webhookId = (await app.webhooks.register(context, wanted)).answer.webhook_id;
    await caughtUp();
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await stores.close();
  });

  const caughtUp = async () => {
    const head = await stores.events.head();
    while ((await app.progress.ask()) < head) await testSystem.breathe();
  };
  const request = async () => {
    const deliveryId = deliveryIdFor(testSystem, context, [String(asked++)]);
    await app.deliveries.request(context, { deliveryId, webhookId, data: {} });
    return deliveryId;
  };
  const attempt = async (deliveryId: string) => {
    const outcome = await run({ id: deliveryId, lane: webhookId });
    await caughtUp();
    return outcome;
  };
  const history = async (deliveryId: string) => {
    const filter = { webhookId, startTime: undefined, endTime: undefined };
    const { documents } = await app.deliveries.list(context, filter, { size: 100, token: undefined });
    return documents.find(({ webhook_history_id }) => webhook_history_id === deliveryId);
  };
  const isDisabled = async () => (await app.webhooks.find(context, webhookId))?.disabled;
  /** A new notice every six hours, up to an hour of the clock. */
  const failUntil = async (from: number, lastHour: number) => {
    while (now - from < lastHour * hour) {
      await attempt(await request());
      now += 6 * hour;
    }
  };

  it('tries eight times over 27 hours and a half, and then no more', async () => {
    const began = now;
    const deliveryId = await request();
    const delays: number[] = [];
    for (let outcome = await attempt(deliveryId); outcome !== 'done'; outcome = await attempt(deliveryId)) {
      delays.push((outcome.again - now) / 1000);
      now = outcome.again;
    }
    const ought = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
    assert.equal(delays.length, ought.length);
    for (const [i, seconds] of ought.entries())
      assert.ok(Math.abs((delays[i] ?? 0) - seconds) <= seconds / 10, `after try ${i + 1}: ${delays[i]} s`);
    const sum = ought.reduce((a, b) => a + b, 0) * 1000;
    assert.ok(Math.abs(now - began - sum) <= sum / 10);
    const found = await history(deliveryId);
    assert.deepEqual([found?.status, found?.delivery_count, letters.length], ['FAILED', 8, 8]);
    assert.deepEqual(new Set(letters.map(({ id }) => id)), new Set([deliveryId]));
    assert.equal(new Set(letters.map(({ timestamp }) => timestamp)).size, 8);
  });

  it('disables a webhook after five days without a success, and not before', async () => {
    const began = now;
    await failUntil(began, 120);
    assert.equal(await isDisabled(), false);
    now = began + 120 * hour;
    await attempt(await request());
    assert.equal(await isDisabled(), false);
    now += 1;
    await attempt(await request());
    assert.equal(await isDisabled(), true);
    const before = letters.length;
    assert.equal(await attempt(await request()), 'done');
    assert.equal(letters.length, before, 'nothing more is sent');
  });

  it('counts the five days anew from a success on the fourth', async () => {
    const began = now;
    await failUntil(began, 96);
    status = 200;
    assert.equal(await attempt(await request()), 'done');
    status = 500;
    const success = now;
    now += 6 * hour;
    await failUntil(success, 125);
    assert.equal(await isDisabled(), false, 'not 120 hours after the first failure');
    await failUntil(success, 133);
    assert.equal(await isDisabled(), true, '120 hours after the first failure that followed the success');
  });

  it('sends with each attempt the headers that are registered then', async () => {
    const header = (name: string, value: string) =>
      app.webhookHeaders.register(context, { webhookId, name, value }).then(({ answer }) => answer.webhook_header_id);
    const deliveryId = await request();
    const old = await header('x-one', 'before');
    await caughtUp();
    const again = await attempt(deliveryId);
    await app.webhookHeaders.remove(context, old);
    await header('x-one', 'after');
    await header('x-two', 'new');
    await caughtUp();
    assert.ok(again !== 'done');
    now = again.again;
    status = 200;
    assert.equal(await attempt(deliveryId), 'done');
    assert.deepEqual(
      letters.map(({ headers }) => headers),
      [
        [['x-one', 'before']],
        [
          ['x-one', 'after'],
          ['x-two', 'new'],
        ],
      ],
    );
  });

  it('hangs up when it is to end, and leaves what had no answer as it was to whoever goes on', async () => {
    const deliveryId = await request();
    answers = new Promise((resolve) => {
      hangUp = () => resolve({ status: null, failure: 'the service is stopping' });
    });
    const outcome = run({ id: deliveryId, lane: webhookId });
    while (letters.length === 0) await testSystem.breathe();
    await caughtUp();
    stop.abort();
    assert.deepEqual(await outcome, { again: now });
    const found = await history(deliveryId);
    assert.deepEqual([found?.status, found?.delivery_count], ['PENDING', 0]);
  });

  for (const [what, jump] of [
    ['back', -hour],
    ['forward', hour],
  ] as const)
    it(`neither loses nor doubles a retry when the clock jumps an hour ${what}`, async () => {
      const deliveryId = await request();
      const first = await attempt(deliveryId);
      assert.ok(first !== 'done');
      now += jump;
      status = 200;
      const second = await attempt(deliveryId);
      // Before its time it is only put off to the same time.
      if (jump < 0) {
        assert.deepEqual([second, letters.length], [first, 1]);
        now = first.again;
        assert.equal(await attempt(deliveryId), 'done');
      } else assert.equal(second, 'done');
      assert.equal(await attempt(deliveryId), 'done');
      assert.equal(letters.length, 2);
      const found = await history(deliveryId);
      assert.deepEqual([found?.status, found?.delivery_count], ['COMPLETED', 2]);
    });
});
