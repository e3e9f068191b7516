import assert from 'node:assert/strict';
import type { Job, Jobs } from '../../application/ports/jobs.js';
import { jobs as adapters } from '../support/engines/adapters.js';
import { ids, named, sleep, startHolder, useWorkers } from '../support/engines/job-workers.js';
import { usePlace } from '../support/engines/places.js';
import { until } from '../support/eventually.js';

/** Lease in ms in tests that kill one process. A live process that is suspended for seconds keeps its lease. */
const leaseMs = 15_000;
/** Maximum time in ms until another worker notices that a lease has expired. */
const noticedMs = 2000;

for (const [adapter, place] of Object.entries(adapters))
  describe(`the job queue on ${adapter}`, () => {
    const { start, door } = useWorkers();
    const { place: at, open, close } = usePlace(place);
    let store: Jobs;
    let other: Jobs;
    beforeEach(async () => {
      [store, other] = await Promise.all([open(), open()]);
    });
    const untilNoneIsLeft = () => until('no job is left', async () => (await store.count()) === 0);

    it('runs a job once, however often it is added while it waits', async () => {
      const place = { organization: 'org_a', lane: 'https://a.example/hook' };
      const job = { id: 'https://a.example/hook:1', ...place, at: Date.now() };
      await store.put([job, job]);
      await other.put([job, { ...job, lane: 'another' }]);
      assert.equal(await other.count(), 1);
      const worker = start(store);
      await untilNoneIsLeft();
      assert.deepEqual(worker.begun(), [{ id: job.id, ...place }]);
    });

    it('runs a job once more, in its own lane, when it is added while it is running', async () => {
      const [job] = named(1, 'a');
      assert.ok(job);
      const worker = start(store, () => door().opened.then(() => 'done' as const));
      await store.put([job]);
      await until('the job is started', () => worker.begun().length > 0);
      await other.put([job, { ...job, lane: 'another' }]);
      await store.put([{ ...job, at: Date.now() + 3_600_000 }]);
      assert.equal(await store.count(), 1);
      door().open();
      await untilNoneIsLeft();
      const { at: _, ...own } = job;
      assert.deepEqual(worker.begun(), [own, own]);
    });

    it('moves a waiting job forward when it is added for an earlier time, and never back', async () => {
      const now = named(2, 'a');
      const later = named(2, 'a', Date.now() + 3_600_000);
      await store.put(later);
      await other.put(now.slice(1));
      await other.put(later.slice(1));
      const worker = start(store);
      await until('the second is done', async () => (await store.count()) === 1);
      await other.put(now.slice(0, 1));
      await untilNoneIsLeft();
      assert.deepEqual(
        worker.begun().map(({ id }) => id),
        ['a-1', 'a-0'],
      );
    });

    it('runs a job again that is added again after it was done', async () => {
      const worker = start(store);
      for (const times of [1, 2, 3]) {
        await other.put(named(1, 'a'));
        await until('the job is done again', () => worker.begun().length === times);
        await untilNoneIsLeft();
      }
    });

    it('starts a job of its own process immediately, and one of another process soon', async () => {
      const worker = start(store);
      await store.put(named(1, 'first'));
      await until('the worker runs', () => worker.has('first-0'));
      for (const [from, lane] of [[store, 'here'] as const, [other, 'there'] as const]) {
        await from.put(named(1, lane));
        await until(`a job added ${lane} is started`, () => worker.has(`${lane}-0`));
      }
    });

    it('runs a job when it is due and not before', async () => {
      const due = Date.now() + 4000;
      const times = new Map<string, number>();
      const worker = start(store, ({ id }) => {
        times.set(id, Date.now());
        return 'done';
      });
      const [late, later] = [due, due + 300].map((at, n) => ({ ...(named(2, 'late')[n] as Job), at }));
      await other.put([later, late, ...named(1, 'now')] as Parameters<Jobs['put']>[0]);
      await until('all are done', () => worker.begun().length === 3);
      assert.deepEqual([...times.keys()], ['now-0', 'late-0', 'late-1']);
      assert.ok((times.get('late-0') ?? 0) >= due && (times.get('late-1') ?? 0) >= due + 300);
    });

    it('starts a lane with the job that has been due the longest', async () => {
      await store.put([...named(50, 'a', Date.now() - 1000)]);
      await store.put([{ id: 'last', organization: 'org_a', lane: 'a', at: Date.now() + 1 }]);
      const worker = start(store, () => 'done', { atOnce: 1, perLane: 1 });
      await untilNoneIsLeft();
      assert.deepEqual(
        worker.begun().map(({ id }) => id),
        [...named(50, 'a').map(({ id }) => id), 'last'],
      );
    });

    it('runs a job again at the time that its work requests', async () => {
      const times: number[] = [];
      let again = 0;
      start(store, () => {
        times.push(Date.now());
        again = Date.now() + 400;
        return times.length < 3 ? { again } : 'done';
      });
      await store.put(named(1, 'a'));
      await until('the job was started', () => times.length > 0);
      assert.equal(await store.count(), 1);
      await untilNoneIsLeft();
      assert.equal(times.length, 3);
      for (const n of [1, 2]) assert.ok((times[n] ?? 0) - (times[n - 1] ?? 0) >= 400, String(times));
    });

    it('retries a job whose work failed soon, and runs others meanwhile', async () => {
      const fails = new Set(['rejects-0', 'throws-0']);
      const worker = start(store, ({ id }) => {
        if (!fails.delete(id)) return 'done';
        if (id === 'rejects-0') return Promise.reject(new Error('as asked'));
        throw new Error('as asked');
      });
      await store.put([...named(1, 'rejects'), ...named(1, 'throws'), ...named(1, 'good')]);
      await untilNoneIsLeft();
      assert.deepEqual(ids(worker.begun()), ['good-0', 'rejects-0', 'rejects-0', 'throws-0', 'throws-0']);
    });

    it('neither starts a removed job nor runs it again when it was running', async () => {
      await store.put([...named(3, 'a'), ...named(2, 'b', Date.now() + 3_600_000), ...named(1, 'busy')]);
      await other.remove(['a-0', 'a-1', 'b-0', 'b-1', 'unknown']);
      assert.equal(await store.count(), 2);
      const worker = start(store, ({ id }) => (id === 'busy-0' ? door().opened.then(() => ({ again: 0 })) : 'done'));
      await until('the rest is started', () => worker.begun().length === 2);
      await other.remove(['busy-0']);
      door().open();
      await untilNoneIsLeft();
      await store.put(named(1, 'end'));
      await until('another is done', () => worker.has('end-0'));
      assert.deepEqual(ids(worker.begun()), ['a-2', 'busy-0', 'end-0']);
    });

    it('counts jobs that wait, are due later or are running', async () => {
      await store.put([...named(1200, 'a'), ...named(5, 'later', Date.now() + 3_600_000)]);
      assert.equal(await other.count(), 1205);
      const worker = start(store, ({ id }) => (id === 'a-0' ? door().opened.then(() => 'done' as const) : 'done'));
      await until('all but one are done', async () => (await store.count()) === 6);
      assert.equal(worker.begun().length, 1200);
      door().open();
      await until('the last is done', async () => (await store.count()) === 5);
    });

    it('gives each job to one of several workers', async () => {
      const run = () => door().opened.then(() => 'done' as const);
      const workers = [start(store, run), start(other, run)];
      await other.put(named(300, (n) => `lane ${n % 7}`));
      await until('both have started', () => workers.every((worker) => worker.begun().length > 0));
      door().open();
      await untilNoneIsLeft();
      assert.deepEqual(ids(workers.flatMap((worker) => worker.begun())), ids(named(300, () => '')));
    });

    it('runs no more concurrent jobs than its limits for all lanes and for one lane', async () => {
      const run = async () => {
        await door().opened;
        await sleep(3);
        return 'done' as const;
      };
      const worker = start(store, run, { atOnce: 6, perLane: 2 });
      await other.put(named(100, 'big'));
      await until('as many jobs of the lane as allowed are started', () => worker.begun().length === 2);
      await other.put(named(100, (n) => `small ${n % 10}`));
      await until('as many jobs of all lanes as allowed are started', () => worker.begun().length === 6);
      door().open();
      await untilNoneIsLeft();
      assert.deepEqual(worker.peak(), { atOnce: 6, perLane: 2 });
    });

    for (const [dueTime, inMs] of [['now', 0] as const, ['all at the same later time', 500] as const])
      it(`does not let ten thousand slow jobs of one lane, due ${dueTime}, delay another lane`, async () => {
        const due = Date.now() + inMs;
        await other.put(named(10_000, 'crowd', due));
        const worker = start(store, ({ lane }) => (lane === 'crowd' ? door().opened.then(() => 'done') : 'done'), {
          atOnce: 10,
          perLane: 4,
        });
        await until('the slow jobs are started', () => worker.begun().length === 4);
        await other.put(named(3, 'quick'));
        await until('another lane is started', () => worker.has('quick-2'));
        assert.equal(worker.peak().perLane, 4);
        await store.remove(ids(named(10_000, 'crowd')));
      });

    it('alternates between lanes when each alone could fill all slots', async () => {
      const run = async () => {
        await sleep(1);
        return 'done' as const;
      };
      const crowds = [...named(3000, 'a'), ...named(3000, 'b')];
      await store.put(crowds);
      const worker = start(store, run, { atOnce: 4, perLane: 4 });
      await until('both are started', () => worker.has('a-0') && worker.has('b-0'));
      await store.put(named(1, 'late'));
      await until('another lane has its turn', () => worker.has('late-0'));
      await until('others are started after it', () => worker.begun().at(-1)?.id !== 'late-0');
      await store.remove(ids(crowds));
    });

    it('finishes its running jobs when it is stopped, and starts no more', async () => {
      await store.put(named(10, (n) => `lane ${n}`));
      const limits = { atOnce: 3, perLane: 3 };
      const worker = start(store, () => door().opened.then(() => 'done' as const), limits);
      await until('three jobs are started', () => worker.begun().length === 3);
      worker.stop();
      let hasEnded = false as boolean;
      void worker.ended.then(() => {
        hasEnded = true;
      });
      // Makes twenty calls, which take longer than stopping a worker that does not wait for its running jobs.
      for (let n = 0; n < 20; n++) await other.count();
      assert.equal(hasEnded, false);
      door().open();
      await worker.ended;
      assert.equal(worker.begun().length, 3);
      assert.equal(await store.count(), 7);
      const next = start(other);
      await untilNoneIsLeft();
      assert.equal(next.begun().length, 7);
    });

    it('keeps its identity while it keeps its jobs', async () => {
      const before = await store.identity();
      await store.put(named(1, 'a', Date.now() + 60_000));
      assert.deepEqual([await store.identity(), await other.identity()], [before, before]);
    });

    it('keeps its jobs while no process has it open', async () => {
      await store.put([...named(3, 'a'), ...named(1, 'later', Date.now() + 300)]);
      await Promise.all([close(store), close(other)]);
      store = await open();
      const worker = start(store);
      await untilNoneIsLeft();
      assert.deepEqual(ids(worker.begun()), ['a-0', 'a-1', 'a-2', 'later-0']);
    });

    it('takes over the jobs of a killed process, and leaves a live process its own', async () => {
      const [own, watching] = await Promise.all([open(leaseMs), open(leaseMs)]);
      await other.put(named(20, (n) => `lane ${n % 10}`));
      const kill = await startHolder(at().where, 20, leaseMs);
      const living = start(own, () => door().opened.then(() => 'done'));
      await own.put(named(1, 'own'));
      await until('its own job is started', () => living.has('own-0'));
      living.stop();
      // Adds a job that is due only after the live worker's lease would have expired without renewal.
      await other.put(named(1, 'late', Date.now() + leaseMs + noticedMs));
      await kill();
      const workers = [start(watching), start(await open(leaseMs))];
      const begun = () => workers.flatMap((worker) => worker.begun());
      await until('the jobs of the killed process and the late job are started', () => begun().length >= 21);
      assert.deepEqual(ids(begun()), ids([...named(20, () => ''), ...named(1, 'late')]));
      assert.equal(living.begun().length, 1);
      await until('the jobs are done', async () => (await store.count()) === 1);
    });

    it('usually gives the jobs of a killed process to others within five seconds', () => {
      assert.ok(at().usualLeaseMs + noticedMs / 2 <= 5000);
    });
  });
