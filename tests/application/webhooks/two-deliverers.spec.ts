import assert from 'node:assert/strict';
import type { App } from '../../../application/app.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { Jobs } from '../../../application/ports/jobs.js';
import { supervise } from '../../../application/processes/supervise.js';
import { deliveryIdFor } from '../../../application/webhooks/deliveries.js';
import { eventually } from '../../support/eventually.js';
import { composeApp, contextOf, openStores, processOf } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const context = contextOf(`org_${'a'.repeat(32)}`);
const names = ['delivery queue', 'webhook changes', 'delivery repair', 'transaction notifier'];

describe('two deliverers', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let stops: AbortController[];
  let running: Promise<unknown>[];
  let puts: string[];
  let subscriptions: number;
  let apps: readonly App[];

  beforeEach(async () => {
    stores = await openStores();
    [stops, running, puts, subscriptions] = [[], [], [], 0];
    const jobs: Jobs = { ...stores.jobs, put: async (all) => void puts.push(...all.map(({ id }) => id)) };
    const events: EventStore = {
      ...stores.events,
      subscribe: (...given) => {
        subscriptions++;
        return stores.events.subscribe(...given);
      },
    };
    apps = [composeApp(stores, { jobs, events }), composeApp(stores, { jobs, events })];
  });
  afterEach(async () => {
    for (const stop of stops) stop.abort();
    await Promise.all(running);
    await stores.close();
  });
  const start = (app: App) => {
    const stop = new AbortController();
    stops.push(stop);
    const runs = names.map((name) => supervise(name, processOf(app, name).run, stop.signal, testSystem));
    running.push(...runs);
    return async () => {
      stop.abort();
      await Promise.all(runs);
    };
  };
  const request = async (from: number, count: number) => {
    for (let n = from; n < from + count; n++) {
      const deliveryId = deliveryIdFor(testSystem, context, [String(n)]);
      await apps[0]?.deliveries.request(context, { webhook_id: 'whk_1', disabled: false }, [{ deliveryId, data: {} }]);
    }
  };

  it('queue each delivery once, with one subscription each for all of them', async () => {
    const [first, second] = apps as [App, App];
    start(first);
    await eventually(async () => assert.equal(subscriptions, 3));
    start(second);
    await request(0, 40);
    await eventually(async () => assert.equal(new Set(puts).size, 40));
    assert.deepEqual([puts.length, subscriptions], [40, 3]);
  });

  it('take over from each other', async () => {
    const [first, second] = apps as [App, App];
    const stopFirst = start(first);
    await request(0, 1);
    await eventually(async () => assert.equal(puts.length, 1));
    start(second);
    await stopFirst();
    await request(1, 1);
    await eventually(async () => assert.equal(new Set(puts).size, 2));
  });
});
