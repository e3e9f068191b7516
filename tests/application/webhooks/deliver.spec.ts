import assert from 'node:assert/strict';
import type { PostResult, WebhookMessage } from '../../../application/ports/sender.js';
import { until } from '../../support/eventually.js';
import { testSystem } from '../../support/silent.js';
import { startDelivering } from '../../support/webhooks/delivering.js';

const hour = 3_600_000;

/** Uses a clock set by the test, so that days pass immediately. */
describe('the deliverer', () => {
  let scene: Awaited<ReturnType<typeof startDelivering>>;
  let now: number;
  let status: number;
  let messages: WebhookMessage[];
  let answers: Promise<Partial<PostResult>>;
  let hangUp: () => void;

  beforeEach(async () => {
    [now, status, messages] = [Date.now(), 500, []];
    [answers, hangUp] = [Promise.resolve({}), () => undefined];
    scene = await startDelivering({
      sender: {
        post: async (message) => {
          messages.push(message);
          return { status, failure: '', durationMs: 1, answer: '', retryAt: null, ...(await answers) };
        },
        close: async () => hangUp(),
      },
      system: { ...testSystem, now: () => now, sleep: () => Promise.resolve() },
    });
  });
  afterEach(() => scene.close());

  const attempt = async (deliveryId: string) => {
    const outcome = await scene.run(deliveryId);
    await scene.caughtUp();
    return outcome;
  };
  /** Requests and attempts a delivery every six hours, until the given hour after `from`. */
  const failUntil = async (from: number, lastHour: number) => {
    while (now - from < lastHour * hour) {
      await attempt(await scene.request());
      now += 6 * hour;
    }
  };

  it('makes eight attempts within 27 and a half hours, and then no more', async () => {
    const began = now;
    const deliveryId = await scene.request();
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
    const found = await scene.history(deliveryId);
    assert.deepEqual([found?.status, found?.delivery_count, messages.length], ['FAILED', 8, 8]);
    assert.deepEqual(new Set(messages.map(({ id }) => id)), new Set([deliveryId]));
    assert.equal(new Set(messages.map(({ timestamp }) => timestamp)).size, 8);
  });

  it('disables a webhook after five days without a success, and not before', async () => {
    const began = now;
    await failUntil(began, 120);
    assert.equal(await scene.isDisabled(), false);
    now = began + 120 * hour;
    await attempt(await scene.request());
    assert.equal(await scene.isDisabled(), false);
    now += 1;
    await attempt(await scene.request());
    assert.equal(await scene.isDisabled(), true);
    const before = messages.length;
    assert.equal(await attempt(await scene.request()), 'done');
    assert.equal(messages.length, before, 'nothing more is sent');
  });

  it('restarts the five days after a success on the fourth', async () => {
    const began = now;
    await failUntil(began, 96);
    status = 200;
    assert.equal(await attempt(await scene.request()), 'done');
    status = 500;
    const success = now;
    now += 6 * hour;
    await failUntil(success, 125);
    assert.equal(await scene.isDisabled(), false, 'not 120 hours after the first failure');
    await failUntil(success, 133);
    assert.equal(await scene.isDisabled(), true, '120 hours after the first failure that followed the success');
  });

  it('sends the headers registered at the time of the attempt', async () => {
    const { app, context, webhookId } = scene;
    const header = (name: string, value: string) =>
      app.webhookHeaders.register(context, { webhookId, name, value }).then(({ answer }) => answer.webhook_header_id);
    const deliveryId = await scene.request();
    const old = await header('x-one', 'before');
    await scene.caughtUp();
    const again = await attempt(deliveryId);
    await app.webhookHeaders.remove(context, old);
    await header('x-one', 'after');
    await header('x-two', 'new');
    await scene.caughtUp();
    assert.ok(again !== 'done');
    now = again.again;
    status = 200;
    assert.equal(await attempt(deliveryId), 'done');
    assert.deepEqual(
      messages.map(({ headers }) => headers),
      [
        [['x-one', 'before']],
        [
          ['x-one', 'after'],
          ['x-two', 'new'],
        ],
      ],
    );
  });

  it('aborts its requests when it is stopped, and leaves an unanswered delivery unchanged for the next deliverer', async () => {
    const deliveryId = await scene.request();
    answers = new Promise((resolve) => {
      hangUp = () => resolve({ status: null, failure: 'the service is stopping' });
    });
    const outcome = scene.run(deliveryId);
    await until('the notification is posted', () => messages.length > 0);
    await scene.caughtUp();
    scene.stop();
    assert.deepEqual(await outcome, { again: now });
    const found = await scene.history(deliveryId);
    assert.deepEqual([found?.status, found?.delivery_count], ['PENDING', 0]);
  });

  for (const [direction, jump] of [
    ['back', -hour],
    ['forward', hour],
  ] as const)
    it(`neither loses nor duplicates a retry when the clock jumps an hour ${direction}`, async () => {
      const deliveryId = await scene.request();
      const first = await attempt(deliveryId);
      assert.ok(first !== 'done');
      now += jump;
      status = 200;
      const second = await attempt(deliveryId);
      // A job that runs too early is rescheduled to the same time.
      if (jump < 0) {
        assert.deepEqual([second, messages.length], [first, 1]);
        now = first.again;
        assert.equal(await attempt(deliveryId), 'done');
      } else assert.equal(second, 'done');
      assert.equal(await attempt(deliveryId), 'done');
      assert.equal(messages.length, 2);
      const found = await scene.history(deliveryId);
      assert.deepEqual([found?.status, found?.delivery_count], ['COMPLETED', 2]);
    });
});
