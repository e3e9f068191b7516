import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import type { Jobs } from '../../application/ports/jobs.js';
import { bullJobs } from '../../infrastructure/redis/jobs.js';
import { jobs as adapters } from '../support/adapters.js';
import { ids, named, sleep, startHolder, until, useWorkers } from '../support/job-workers.js';
import { usePlace } from '../support/places.js';
import { noRedis, redisDatabase, startRedis } from '../support/redis.js';
import { silent } from '../support/silent.js';
import { skip } from '../support/skip.js';

for (const [adapter, place] of Object.entries(adapters))
  describe(`jobs contract: ${adapter}`, () => {
    const { start, door } = useWorkers();
    const { place: at, open, close } = usePlace(place);
    let store: Jobs;
    let other: Jobs;
    beforeEach(async () => {
      [store, other] = await Promise.all([open(), open()]);
    });
    const untilNoneIsLeft = (ms?: number) => until('no job is left', async () => (await store.count()) === 0, ms);

    it('does a job once, however often it is put while it waits or is being done', async () => {
      const job = { id: 'https://a.example/hook:1', lane: 'https://a.example/hook', at: Date.now() };
      await store.put([job, job]);
      await other.put([job]);
      assert.equal(await other.count(), 1);
      const worker = start(store, () => door().opened.then(() => 'done' as const));
      await until('it is begun', () => worker.begun().length > 0);
      await other.put([job, { ...job, lane: 'another' }]);
      assert.equal(await store.count(), 1);
      door().open();
      await untilNoneIsLeft();
      assert.deepEqual(worker.begun(), [{ id: job.id, lane: job.lane }]);
    });

    it('does a job again that is put again after it was done', async () => {
      const worker = start(store);
      for (const times of [1, 2, 3]) {
        await other.put(named(1, 'a'));
        await until('it is done again', () => worker.begun().length === times);
        await untilNoneIsLeft();
      }
    });

    it('begins what is put here at once, and what another process put soon', async () => {
      const worker = start(store);
      await store.put(named(1, 'first'));
      await until('the worker works', () => worker.has('first-0'));
      for (const [from, lane] of [[store, 'here'] as const, [other, 'there'] as const]) {
        await from.put(named(1, lane));
        await until(`a job put ${lane} is begun`, () => worker.has(`${lane}-0`), 1000);
      }
    });

    it('does a job when it is due and not before', async () => {
      const due = Date.now() + 600;
      const times = new Map<string, number>();
      const worker = start(store, ({ id }) => {
        times.set(id, Date.now());
        return 'done';
      });
      await other.put([...named(1, 'late', due), ...named(1, 'later', due + 300), ...named(1, 'now')]);
      await until('all are done', () => worker.begun().length === 3);
      assert.deepEqual([...times.keys()], ['now-0', 'late-0', 'later-0']);
      assert.ok((times.get('late-0') ?? 0) >= due && (times.get('later-0') ?? 0) >= due + 300);
    });

    it('begins a lane with what has been due the longest', async () => {
      await store.put([...named(50, 'a', Date.now() - 1000)]);
      await store.put([{ id: 'last', lane: 'a', at: Date.now() + 1 }]);
      const worker = start(store, () => 'done', { atOnce: 1, perLane: 1 });
      await untilNoneIsLeft();
      assert.deepEqual(
        worker.begun().map(({ id }) => id),
        [...named(50, 'a').map(({ id }) => id), 'last'],
      );
    });

    it('does a job again at the time its work asks for', async () => {
      const times: number[] = [];
      let again = 0;
      start(store, () => {
        times.push(Date.now());
        again = Date.now() + 400;
        return times.length < 3 ? { again } : 'done';
      });
      await store.put(named(1, 'a'));
      await until('it was begun', () => times.length > 0);
      assert.equal(await store.count(), 1);
      await untilNoneIsLeft();
      assert.equal(times.length, 3);
      for (const n of [1, 2]) assert.ok((times[n] ?? 0) - (times[n - 1] ?? 0) >= 400, String(times));
    });

    it('does a job soon again whose work fails, and others meanwhile', async () => {
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

    it('does not begin what was removed, nor do it again when it was being done', async () => {
      await store.put([...named(3, 'a'), ...named(2, 'b', Date.now() + 60_000), ...named(1, 'busy')]);
      await other.remove(['a-0', 'a-1', 'b-0', 'b-1', 'unknown']);
      assert.equal(await store.count(), 2);
      const worker = start(store, ({ id }) => (id === 'busy-0' ? door().opened.then(() => ({ again: 0 })) : 'done'));
      await until('the rest is begun', () => worker.begun().length === 2);
      await other.remove(['busy-0']);
      door().open();
      await untilNoneIsLeft();
      await store.put(named(1, 'end'));
      await until('another is done', () => worker.has('end-0'));
      assert.deepEqual(ids(worker.begun()), ['a-2', 'busy-0', 'end-0']);
    });

    it('counts what waits, is due later or is being done', async () => {
      await store.put([...named(1200, 'a'), ...named(5, 'later', Date.now() + 60_000)]);
      assert.equal(await other.count(), 1205);
      const worker = start(store, ({ id }) => (id === 'a-0' ? door().opened.then(() => 'done' as const) : 'done'));
      await until('all but one are done', async () => (await store.count()) === 6);
      assert.equal(worker.begun().length, 1200);
      door().open();
      await until('the last is done', async () => (await store.count()) === 5);
    });

    it('shares jobs between workers, each for one of them', async () => {
      const run = () => door().opened.then(() => 'done' as const);
      const workers = [start(store, run), start(other, run)];
      await other.put(named(300, (n) => `lane ${n % 7}`));
      await until('both have begun', () => workers.every((worker) => worker.begun().length > 0));
      door().open();
      await untilNoneIsLeft();
      assert.deepEqual(ids(workers.flatMap((worker) => worker.begun())), ids(named(300, () => '')));
    });

    it('does no more at once than it may, of all lanes and of one', async () => {
      const run = async () => {
        await sleep(3);
        return 'done' as const;
      };
      const worker = start(store, run, { atOnce: 6, perLane: 2 });
      await other.put(named(200, (n) => (n % 2 ? 'big' : `small ${n % 20}`)));
      await untilNoneIsLeft();
      assert.deepEqual(worker.most(), { atOnce: 6, perLane: 2 });
    });

    for (const [when, inMs] of [['now', 0] as const, ['all at the same later time', 500] as const])
      it(`does not let ten thousand slow jobs of one lane delay another lane, due ${when}`, async () => {
        const due = Date.now() + inMs;
        await other.put(named(10_000, 'crowd', due));
        const worker = start(store, ({ lane }) => (lane === 'crowd' ? door().opened.then(() => 'done') : 'done'), {
          atOnce: 10,
          perLane: 4,
        });
        await until('the slow ones are begun', () => worker.begun().length === 4);
        await other.put(named(3, 'quick'));
        await until('another lane is begun', () => worker.has('quick-2'), 1000);
        assert.equal(worker.most().perLane, 4);
        await store.remove(ids(named(10_000, 'crowd')));
      });

    it('lets lanes take turns when each alone could fill all places', async () => {
      const run = async () => {
        await sleep(1);
        return 'done' as const;
      };
      const crowds = [...named(3000, 'a'), ...named(3000, 'b')];
      await store.put(crowds);
      const worker = start(store, run, { atOnce: 4, perLane: 4 });
      await until('both are begun', () => worker.has('a-0') && worker.has('b-0'), 2000);
      await store.put(named(1, 'late'));
      await until('another lane has its turn', () => worker.has('late-0'), 1000);
      assert.ok((await store.count()) > 0, 'the others are not done yet');
      await store.remove(ids(crowds));
    });

    it('finishes what it has begun when it is to stop, and begins nothing more', async () => {
      await store.put(named(10, (n) => `lane ${n}`));
      const limits = { atOnce: 3, perLane: 3 };
      const worker = start(store, () => door().opened.then(() => 'done' as const), limits);
      await until('three are begun', () => worker.begun().length === 3);
      worker.stop();
      let hasEnded = false as boolean;
      void worker.ended.then(() => {
        hasEnded = true;
      });
      // Longer than to end would take.
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

    it('stays the same queue while it has what was put', async () => {
      const before = await store.identity();
      await store.put(named(1, 'a', Date.now() + 60_000));
      assert.deepEqual([await store.identity(), await other.identity()], [before, before]);
    });

    it('keeps jobs while no process has them open', async () => {
      await store.put([...named(3, 'a'), ...named(1, 'later', Date.now() + 300)]);
      await Promise.all([close(store), close(other)]);
      store = await open();
      const worker = start(store);
      await untilNoneIsLeft();
      assert.deepEqual(ids(worker.begun()), ['a-0', 'a-1', 'a-2', 'later-0']);
    });

    it('does within five seconds what a killed process had in hand, and leaves the living theirs', async () => {
      await other.put(named(20, (n) => `lane ${n % 10}`));
      const kill = await startHolder(at().where, 20);
      const living = start(store, () => door().opened.then(() => 'done'));
      await store.put(named(1, 'own'));
      await until('its own is begun', () => living.has('own-0'));
      living.stop();
      // Long enough in hand for it to be taken away before the others', were it taken for dead.
      const watching = start(other);
      await other.put(named(1, 'late', Date.now() + 1000));
      await until('time has passed', () => watching.has('late-0'));
      const killed = await kill();
      const workers = [watching, start(await open())];
      const begun = () => workers.flatMap((worker) => worker.begun()).filter(({ id }) => id !== 'late-0');
      await until('they are begun', () => begun().length === 20, killed + 5000 - Date.now());
      assert.deepEqual(ids(begun()), ids(named(20, () => '')));
      assert.equal(living.begun().length, 1);
      await until('they are done', async () => (await store.count()) === 1);
    });
  });

describe('jobs on a Redis that fails', () => {
  const { start } = useWorkers();
  before(function () {
    if (noRedis !== null) skip(this, `jobs on a Redis that fails: ${noRedis}`);
  });

  it('are done although BullMQ has lost what it was told', async () => {
    const { url, end } = await redisDatabase();
    const redis = new Redis(url);
    const jobs = await bullJobs(url, silent);
    try {
      await jobs.put(named(3, 'a'));
      const kill = await startHolder(url, 2);
      await kill();
      await redis.del(await redis.keys('chainfold:shifts:*'));
      const worker = start(jobs);
      await until('all are done', async () => (await jobs.count()) === 0);
      assert.deepEqual(ids(worker.begun()), ids(named(3, 'a')));
    } finally {
      await jobs.close();
      redis.disconnect();
      await end();
    }
  });

  it('fail in time while it is away, and go on by themselves when it is back', async () => {
    let redis = await startRedis();
    const jobs = await bullJobs(redis.url, silent);
    const before = await jobs.identity();
    try {
      const worker = start(jobs);
      await jobs.put([...named(1, 'before'), ...named(1, 'lost', Date.now() + 60_000)]);
      await until('it works', () => worker.has('before-0'));
      await redis.stop();
      for (const call of [() => jobs.put(named(1, 'a')), () => jobs.remove(['a']), () => jobs.count()]) {
        const asked = Date.now();
        await assert.rejects(call, { code: 'UNAVAILABLE' });
        assert.ok(Date.now() - asked < 4000);
      }
      await assert.rejects(() => jobs.identity(), { code: 'UNAVAILABLE' });
      redis = await startRedis(Number(new URL(redis.url).port));
      const putAgain = () => jobs.put(named(1, 'after')).then(...([() => true, () => false] as const));
      await until('it can be used again', putAgain);
      await until('the worker goes on', () => worker.has('after-0'));
      const restarted = await jobs.identity();
      assert.notEqual(restarted, before);
      const visitor = new Redis(redis.url);
      await visitor.flushall();
      visitor.disconnect();
      assert.notEqual(await jobs.identity(), restarted);
      worker.stop();
      await worker.ended;
    } finally {
      await jobs.close();
      await redis.stop();
    }
  });
});
