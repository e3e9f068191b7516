import assert from 'node:assert/strict';
import type { Job, Jobs } from '../../../application/ports/jobs.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { createDeliveryRepair } from '../../../application/webhooks/queue-deliveries.js';
import type { DeliveryEvent } from '../../../domain/aggregates/delivery.js';
import { Failure } from '../../../domain/failure.js';
import { openDeliveries } from '../../../projections/deliveries.js';
import { readModels } from '../../support/engines/adapters.js';
import type { Place } from '../../support/engines/places.js';
import { aboutAt } from '../../support/histories/project.js';
import { silent } from '../../support/silent.js';

const start = Date.UTC(2026, 0, 1);
const [second, hour] = [1000, 3_600_000];
const about = { ...aboutAt('org_a', 'x', 1), occurredAt: new Date(start).toISOString() };

type Apply = (doc: object | null, data: object, by: typeof about) => object | null;
/** Returns the change that stores a delivery with the time of its next attempt. */
const opened = (deliveryId: string, nextAt: number, isParked = false) => {
  const events = [
    { type: 'DeliveryRequested', data: { deliveryId, webhookId: 'w' } },
    { type: 'DeliveryAttempted', data: { deliveryId, webhookId: 'w', nextAt } },
    ...(isParked ? [{ type: 'DeliveryParked', data: { deliveryId, webhookId: 'w' } }] : []),
  ];
  const document = events.reduce<object | null>(
    (doc, { type, data }) => (openDeliveries.on[type as DeliveryEvent['type']] as Apply)(doc, data, about),
    null,
  );
  return { collection: openDeliveries, scope: openDeliveries.scope(about), id: deliveryId, document };
};

/** Counts the documents that are read. */
const counted = (store: ReadModels) => {
  const read = { documents: 0, scans: 0 };
  const counting: ReadModels = {
    ...store,
    page: async (...given) => {
      const page = await store.page(...given);
      read.documents += page.documents.length;
      return page;
    },
    scan: async (...given) => {
      const found = await store.scan(...given);
      read.documents += found.length;
      read.scans++;
      return found;
    },
  };
  return { counting, read };
};

/** Runs the process over a script of queue identities, one per second; `null` is an unavailable queue. */
const runScript = async (store: ReadModels, script: readonly (string | null)[]) => {
  const ending = new AbortController();
  const puts = new Map<number, string[]>();
  let step = 0;
  const jobs = {
    identity: async () => script[step] ?? Promise.reject(new Failure('UNAVAILABLE', 'Redis unavailable. Retry later.')),
    put: async (all: readonly Job[]) => {
      const ids = [...(puts.get(step) ?? []), ...all.map(({ id }) => id)];
      if (ids.length > 0) puts.set(step, ids);
    },
  } as Partial<Jobs> as Jobs;
  const system = {
    now: () => start + step * second,
    sleep: async () => {
      step++;
      if (step === script.length) ending.abort();
    },
    log: silent,
  };
  await createDeliveryRepair({ readModels: store, jobs, system: system as never })(ending.signal);
  return puts;
};
const lasting = (seconds: number, identity = 'a') => Array.from({ length: seconds }, () => identity);

for (const [name, begin] of Object.entries(readModels))
  describe(`the repair of deliveries on ${name}`, () => {
    let place: Place<ReadModels>;
    let store: ReadModels;
    const many = Array.from({ length: 5000 }, (_, i) => `whd_${String(i).padStart(4, '0')}`);

    before(async () => {
      place = await begin([openDeliveries]);
      store = await place.open();
      const changes = many.map((id) => opened(id, start + hour));
      await store.commit([...changes, opened('parked', start, true)], await store.checkpoint(), {});
    });
    after(async () => {
      await store.close();
      await place.end?.();
    });
    const file = async (...changes: ReturnType<typeof opened>[]) => {
      assert.ok(await store.commit(changes, await store.checkpoint(), {}));
    };

    it('queues all open deliveries except parked ones at the start, and rereads only overdue ones', async () => {
      const { counting, read } = counted(store);
      const puts = await runScript(counting, lasting(600));
      assert.deepEqual([[...puts.keys()], read.documents], [[0], many.length + 1]);
      assert.deepEqual(puts.get(0), many);
    });
    it('queues all open deliveries again as soon as the queue was replaced', async () => {
      const puts = await runScript(store, ['a', 'a', 'b', 'b', 'a']);
      assert.deepEqual([...puts.keys()], [0, 2, 4]);
      for (const put of puts.values()) assert.equal(put.length, many.length);
    });
    it('waits while the queue is unavailable', async () => {
      const puts = await runScript(store, [null, null, 'a', null, 'a', null, 'b']);
      assert.deepEqual([...puts.keys()], [2, 6]);
    });
    it('queues exactly the deliveries again that are more than a minute overdue', async () => {
      await file(opened('late', start + 10 * second));
      const { counting, read } = counted(store);
      const puts = await runScript(counting, lasting(200));
      assert.deepEqual([...puts].slice(1), [
        [120, ['late']],
        [180, ['late']],
      ]);
      assert.equal(read.documents, many.length + 2 + 2);
    });
    it('queues all overdue deliveries, however many', async () => {
      const away = Array.from({ length: 3700 }, () => null);
      const puts = await runScript(store, ['a', ...away, 'a']);
      assert.deepEqual(new Set(puts.get(3701)), new Set([...many, 'late']));
    });
    it('retries a minute later if overdue deliveries cannot be listed, without starting over', async () => {
      const { counting, read } = counted(store);
      let refused = 0;
      const page: ReadModels['page'] = (...given) => {
        if (refused++ === 1) throw new Failure('UNAVAILABLE', 'open_deliveries is being rebuilt');
        return counting.page(...given);
      };
      const puts = await runScript({ ...counting, page }, lasting(200));
      assert.deepEqual([[...puts.keys()], read.scans], [[0, 180], 7]);
    });
  });
