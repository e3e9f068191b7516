import assert from 'node:assert/strict';
import type { Jobs } from '../../application/ports/jobs.js';
import { jobs as adapters } from '../support/engines/adapters.js';
import { ids, named, useWorkers } from '../support/engines/job-workers.js';
import { usePlace } from '../support/engines/places.js';
import { until } from '../support/eventually.js';

for (const [adapter, place] of Object.entries(adapters))
  describe(`fairness between organizations in the job queue on ${adapter}`, () => {
    const { start, door } = useWorkers();
    const { open } = usePlace(place);
    let store: Jobs;
    let other: Jobs;
    beforeEach(async () => {
      [store, other] = await Promise.all([open(), open()]);
    });
    const crowd = named(1500, (n) => `lane ${n}`);
    const few = named(20, (n) => `few ${n % 2}`, 0, 'org_b').map((job) => ({ ...job, id: `b-${job.id}` }));
    const isOfCrowd = ({ id }: { id: string }) => !id.startsWith('b-');

    it('leaves slots to others while 1,500 lanes of one organization hang', async () => {
      await other.put(crowd);
      const run = (job: { id: string }) =>
        isOfCrowd(job) ? door().opened.then(() => 'done' as const) : ('done' as const);
      const worker = start(store, run, { atOnce: 10, perOrganization: 4, perLane: 2 });
      await until('the hanging jobs are running', () => worker.begun().length >= 4);
      await other.put(few);
      await until('another organization is served', () => few.every(({ id }) => worker.has(id)));
      assert.equal(worker.begun().filter(isOfCrowd).length, 4);
      await store.remove(ids(crowd));
    });

    it('alternates between organizations, however many lanes one of them has', async () => {
      await other.put(crowd);
      await other.put(few);
      const worker = start(store, () => 'done', { atOnce: 2, perOrganization: 2, perLane: 2 });
      await until('the few jobs are done', () => worker.has('b-job-19'));
      const last = worker.begun().findIndex(({ id }) => id === 'b-job-19');
      const before = worker.begun().slice(0, last).filter(isOfCrowd).length;
      assert.ok(before <= 2 * few.length, `${few.length} jobs of one organization waited for ${before} of the other`);
      await store.remove(ids(crowd));
    });

    it('gives one organization the slots that others leave free, up to its limit', async () => {
      await other.put(named(100, (n) => `lane ${n}`));
      const limits = { atOnce: 10, perOrganization: 6, perLane: 2 };
      const worker = start(store, () => door().opened.then(() => 'done' as const), limits);
      await until('as many as the limit allows are running', () => worker.begun().length === 6);
      door().open();
      await until('no job is left', async () => (await store.count()) === 0);
      assert.equal(worker.begun().length, 100);
    });
  });
