import assert from 'node:assert/strict';
import { createHandle, type Handle } from '../../../application/commands/handle.js';
import { foldStored } from '../../../application/commands/read-aggregate.js';
import type { Job, JobOutcome, Jobs } from '../../../application/ports/jobs.js';
import { createDeliverer } from '../../../application/webhooks/deliver.js';
import { deliveryIdFor, deliveryStep, deliveryStream } from '../../../application/webhooks/deliveries.js';
import { createDeliveryRepair } from '../../../application/webhooks/queue-deliveries.js';
import { delivery } from '../../../domain/aggregates/delivery.js';
import { webhookSigner } from '../../../infrastructure/webhooks/signer.js';
import { eventually } from '../../support/eventually.js';
import { allEvents, contextOf, unusedSender } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';
import { startDelivering } from '../../support/webhooks/delivering.js';

/** Uses a job queue that records the jobs that are added and removed. */
describe('a disabled webhook', () => {
  let scene: Awaited<ReturnType<typeof startDelivering>>;
  let status: number;
  let puts: string[];
  let removed: string[];

  beforeEach(async () => {
    [status, puts, removed] = [410, [], []];
    scene = await startDelivering({
      processes: ['webhook changes', 'delivery queue'],
      sender: { post: async () => ({ status, failure: '', durationMs: 1, answer: '', retryAt: null }) },
      queue: {
        put: async (all) => void puts.push(...all.map(({ id }) => id)),
        remove: async (ids) => void removed.push(...ids),
      },
    });
  });
  afterEach(() => scene.close());

  const countOf = async (type: string) =>
    (await allEvents(scene.stores.events)).filter((one) => one.type === type).length;
  /** Requests four deliveries, of which the first is answered with 410. The other deliveries are parked. */
  const disable = async () => {
    const ids = [await scene.request(), await scene.request(), await scene.request(), await scene.request()];
    await scene.caughtUp();
    assert.equal(await scene.run(ids[0] ?? ''), 'done');
    await eventually(async () => assert.equal(await countOf('DeliveryParked'), 3));
    await scene.caughtUp();
    await eventually(async () => assert.equal(puts.length, 4));
    puts.length = 0;
    return ids;
  };
  const repair = async () => {
    const ending = new AbortController();
    const system = { ...testSystem, sleep: async () => ending.abort() };
    await createDeliveryRepair({ ...scene.stores, jobs: scene.jobs, system })(ending.signal);
  };

  it('accumulates nothing: 200 notifications after a 410 leave no event, and the repair queues no parked delivery', async () => {
    await disable();
    const head = await scene.stores.events.head();
    for (let n = 0; n < 200; n++) await scene.request();
    assert.equal(await scene.stores.events.head(), head);
    await repair();
    assert.deepEqual(puts, []);
  });

  it('leaves the deliveries of another organization in the queue, even those to a webhook with the same id', async () => {
    const other = await scene.request(contextOf(`org_${'b'.repeat(32)}`));
    await eventually(async () => assert.deepEqual(puts, [other]));
    puts.length = 0;
    const [, ...parked] = await disable();
    assert.deepEqual(new Set(removed), new Set(parked));
    await repair();
    assert.deepEqual(puts, [other]);
  });

  it('parks a delivery found in the queue, without an attempt', async () => {
    const [, second = ''] = await disable();
    await scene.app.deliveries.resend(scene.context, second);
    await scene.caughtUp();
    const [first, another] = [await scene.request(), await scene.request()];
    await scene.run(first);
    await eventually(async () => assert.equal(await scene.isDisabled(), true));
    await scene.caughtUp();
    assert.equal(await scene.run(another), 'done');
    assert.equal((await scene.history(another))?.delivery_count, 0);
  });

  it('queues all its parked deliveries again when one of them is resent', async () => {
    const [, ...parked] = await disable();
    status = 200;
    await scene.app.deliveries.resend(scene.context, parked[0] ?? '');
    await eventually(async () => assert.deepEqual(new Set(puts), new Set(parked)));
    await scene.caughtUp();
    for (const id of parked) assert.equal(await scene.run(id), 'done');
    assert.equal(await countOf('DeliveryAttempted'), 4);
  });

  describe('that is revived', () => {
    const handle: Handle = (...given) => createHandle(scene.stores.events, testSystem)(...given);
    /** Starts a deliverer with frozen read models, and returns a function that runs a job in it. */
    const startStale = async (handling: Handle) => {
      const { app, context, webhookId, stores } = scene;
      const known = await app.webhooks.find(context, webhookId);
      let run: (job: Job) => Promise<JobOutcome> = () => assert.fail('the deliverer does not work');
      const work: Jobs['work'] = async (given) => {
        run = given.run;
      };
      const deliverer = createDeliverer({
        ...stores,
        handle: handling,
        jobs: { ...scene.jobs, work },
        sender: unusedSender,
        signer: webhookSigner(new Uint8Array(32)),
        webhooks: { ...app.webhooks, find: async () => known },
        headers: app.webhookHeaders,
        webhookConcurrency: 1,
        measure: () => undefined,
        system: testSystem,
      });
      await deliverer(new AbortController().signal);
      return (id: string) => run({ id, organization: context.organizationId, lane: webhookId });
    };
    const stateOf = async (id: string) =>
      foldStored(delivery, (await scene.stores.events.read(deliveryStream(scene.context, id))).events).state;
    /** Unparks a delivery while its webhook is still disabled, as if the delivery had not been parked yet. */
    const open = (deliveryId: string) => {
      const data = { deliveryId, webhookId: scene.webhookId };
      return handle(scene.context, [deliveryStep(scene.context, deliveryId, { type: 'Unpark', data })]);
    };
    const revive = (id: string) => scene.app.deliveries.resend(scene.context, id);

    it('has no delivery parked by a deliverer that still considers it disabled', async () => {
      const [, second = ''] = await disable();
      const run = await startStale(handle);
      await revive(second);
      assert.notEqual(await run(second), 'done');
      assert.equal(await stateOf(second), 'pending');
    });

    it('is notified of activity even before its document shows the revival', async () => {
      const [, second = ''] = await disable();
      const requests = await countOf('DeliveryRequested');
      await revive(second);
      const old = { webhook_id: scene.webhookId, disabled: true };
      const deliveryId = deliveryIdFor(testSystem, scene.context, ['next']);
      await scene.app.deliveries.request(scene.context, old, [{ deliveryId, data: {} }]);
      assert.equal(await countOf('DeliveryRequested'), requests + 1);
    });

    it('leaves no delivery parked that was parked at the moment of the revival', async () => {
      const [, second = '', third = ''] = await disable();
      await open(second);
      let isParking = true;
      const run = await startStale(async (...given) => {
        if (isParking) await revive(third);
        isParking = false;
        return handle(...given);
      });
      assert.notEqual(await run(second), 'done');
      assert.equal(await stateOf(second), 'pending');
    });

    it('leaves no delivery parked by a deliverer that died at that moment', async () => {
      const [, second = '', third = ''] = await disable();
      await open(second);
      const dying = await startStale(async (...given) => {
        await revive(third);
        await handle(...given);
        throw new Error('killed');
      });
      await assert.rejects(dying(second), { message: 'killed' });
      const next = await startStale(handle);
      assert.notEqual(await next(second), 'done');
      assert.equal(await stateOf(second), 'pending');
    });
  });

  it('is sent all undelivered notifications, or only those with a given status, by one request', async () => {
    const { app, context, webhookId } = scene;
    const ids = await disable();
    status = 200;
    const range = { webhookId, startTime: undefined, endTime: undefined };
    const failed = await app.deliveries.resendMany(context, { ...range, status: 'FAILED' });
    assert.deepEqual(failed.answer, { count: 1 });
    await eventually(async () => assert.deepEqual(new Set(puts), new Set(ids)));
    await scene.caughtUp();
    for (const id of ids.slice(1)) await scene.run(id);
    await scene.caughtUp();
    const rest = await app.deliveries.resendMany(context, { ...range, status: undefined });
    assert.deepEqual(rest.answer, { count: 1 });
    const past = { webhookId, startTime: 1, endTime: 2, status: undefined };
    assert.deepEqual((await app.deliveries.resendMany(context, past)).answer, { count: 0 });
    const unknown = { ...range, webhookId: 'whk_other', status: undefined };
    await assert.rejects(app.deliveries.resendMany(context, unknown), { code: 'NOT_FOUND' });
  });
});
