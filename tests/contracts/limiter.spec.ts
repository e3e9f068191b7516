import assert from 'node:assert/strict';
import type { Charge, Limiter } from '../../application/ports/limiter.js';
import { type Limits, windows } from '../../domain/rate-limit.js';
import { limiters } from '../support/engines/adapters.js';
import { usePlace } from '../support/engines/places.js';
import { until } from '../support/eventually.js';

const day = 86_400_000;
const hour = 3_600_000;
/** Maximum duration of a test in ms. Tests start only if no hour, and so no day or month, ends within this time. */
const maxMs = 20_000;
const plenty: Limits = { second: 1e6, hour: 1e6, day: 1e6, month: 1e6 };

const claim = async (limiter: Limiter, apiKey: string, nonce: string) =>
  !(await limiter.admit({ apiKey, nonce })).replayed;
const charge = async (limiter: Limiter, limits: Partial<Limits>, given: Partial<Charge> = {}) => {
  const asked = { organizationId: 'org_1', chain: 'X', limits: { ...plenty, ...limits }, cost: 1, ...given };
  return limiter.charge(asked);
};
/** Charges `count` requests at once and returns how many are allowed. */
const admitted = async (limiters: readonly Limiter[], count: number, limits: Partial<Limits>) => {
  const quotas = await Promise.all(
    Array.from({ length: count }, (_, n) => charge(limiters[n % limiters.length] as Limiter, limits)),
  );
  return quotas.filter(({ allowed }) => allowed).length;
};

for (const [adapter, place] of Object.entries(limiters))
  describe(`the limiter on ${adapter}`, () => {
    const { place: at, open, close } = usePlace(place);
    let store: Limiter;
    let other: Limiter;
    let now: number;
    beforeEach(async () => {
      [store, other] = await Promise.all([open(), open()]);
      await until('no window is about to end', () => hour - (at().now() % hour) > maxMs);
      now = at().now();
    });

    it('grants a nonce to one of many callers, whichever process they are in', async () => {
      const race = await Promise.all(
        Array.from({ length: 50 }, (_, n) => claim(n % 2 ? store : other, 'key', `${now}-x`)),
      );
      assert.equal(race.filter(Boolean).length, 1);
    });

    it('accepts the same nonce under another key', async () => {
      assert.equal(await claim(store, 'a', String(now)), true);
      assert.equal(await claim(store, 'b', String(now)), true);
    });

    it('charges a cost that overdraws a limit, and rejects every following request', async () => {
      const limits = { month: 10 };
      assert.equal((await charge(store, limits, { cost: 4 })).allowed, true);
      assert.equal((await charge(store, limits, { cost: 7 })).allowed, false);
      const overdrawn = await charge(store, limits, { cost: 7, overdraws: true });
      assert.deepEqual([overdrawn.allowed, overdrawn.limit, overdrawn.remaining], [true, 10, 0]);
      const next = await charge(store, limits);
      assert.deepEqual([next.allowed, next.limit, next.remaining], [false, 10, 0]);
    });

    it('remembers a nonce across a restart, for as long as a request with it could be accepted', async () => {
      assert.equal(await claim(store, 'key', `${now + 299_000}-x`), true);
      await close(store);
      store = await open();
      await at().elapse(598_000);
      assert.equal(await claim(store, 'key', `${at().now()}-y`), true);
      assert.equal(await claim(store, 'key', `${now + 299_000}-x`), false);
    });

    it('transfers its nonces and idempotency keys to another limiter', async () => {
      const elsewhere = await place();
      const heir = await elsewhere.open();
      try {
        await claim(store, 'key', `${now}-x`);
        const seeds = await Promise.all(['k1', 'k:2'].map((key) => store.claimIdempotencyKey('key', key, 'request')));
        await store.recordAnswer('key', 'k1', '{"done":1}');
        for await (const some of store.exportRecords()) await heir.importRecords(some);
        assert.equal(await claim(heir, 'key', `${now}-x`), false);
        assert.equal(await claim(heir, 'key', `${now}-y`), true);
        const answered = await heir.claimIdempotencyKey('key', 'k1', 'request');
        assert.deepEqual(answered, { kind: 'answered', answer: '{"done":1}' });
        assert.deepEqual(await heir.claimIdempotencyKey('key', 'k:2', 'request'), seeds[1]);
        assert.deepEqual(await heir.claimIdempotencyKey('key', 'k:2', 'other'), { kind: 'other-request' });
        await elsewhere.elapse(day + 1000);
        assert.equal((await heir.claimIdempotencyKey('key', 'k1', 'other')).kind, 'first');
      } finally {
        await heir.close();
        await (elsewhere as { end?(): Promise<void> }).end?.();
      }
    });

    it('recognizes a repeated request by its key, and returns its answer once there is one', async () => {
      const first = await store.claimIdempotencyKey('key', 'k1', 'request');
      assert.equal(first.kind, 'first');
      assert.deepEqual(await other.claimIdempotencyKey('key', 'k1', 'request'), first);
      await store.recordAnswer('key', 'k1', 'answer');
      await other.recordAnswer('key', 'k1', 'a later answer');
      assert.deepEqual(await other.claimIdempotencyKey('key', 'k1', 'request'), { kind: 'answered', answer: 'answer' });
    });

    it('reports a different request under the same key, answered or not', async () => {
      await store.claimIdempotencyKey('key', 'k1', 'request');
      assert.deepEqual(await other.claimIdempotencyKey('key', 'k1', 'another'), { kind: 'other-request' });
      await store.recordAnswer('key', 'k1', 'answer');
      assert.deepEqual(await other.claimIdempotencyKey('key', 'k1', 'another'), { kind: 'other-request' });
      assert.equal((await other.claimIdempotencyKey('other key', 'k1', 'another')).kind, 'first');
    });

    it('forgets an answer and its seed of ids after a day', async () => {
      const first = await store.claimIdempotencyKey('key', 'k1', 'request');
      await store.recordAnswer('key', 'k1', 'answer');
      await at().elapse(day - 60_000);
      assert.equal((await store.claimIdempotencyKey('key', 'k1', 'request')).kind, 'answered');
      await at().elapse(61_000);
      const anew = await store.claimIdempotencyKey('key', 'k1', 'request');
      assert.equal(anew.kind, 'first');
      assert.notDeepEqual(anew, first);
    });

    it('charges no quota to a request without a charge', async () => {
      assert.deepEqual(await store.admit({ apiKey: 'key', nonce: `${now}-free` }), {
        replayed: false,
        isSpanUnknown: false,
        quota: null,
      });
      assert.deepEqual(await store.admit({ apiKey: 'key', nonce: `${now}-free` }), {
        replayed: true,
        isSpanUnknown: false,
        quota: null,
      });
    });

    it('does not charge a replay', async () => {
      const asked = { organizationId: 'org_1', chain: 'X', limits: { ...plenty, day: 5 }, cost: 1 };
      for (let n = 0; n < 3; n++) await store.admit({ apiKey: 'key', nonce: `${now}-once`, charge: asked });
      assert.equal((await charge(store, { day: 5 })).remaining, 3);
    });

    for (const window of windows.filter((one) => one !== 'second'))
      it(`allows exactly as many concurrent requests as the limit of a ${window}`, async () => {
        assert.equal(await admitted([store], 50, { [window]: 20 }), 20);
        const over = await charge(store, { [window]: 20 });
        assert.deepEqual([over.allowed, over.limit, over.remaining], [false, 20, 0]);
        assert.ok(over.resetMs > 0);
      });

    // SQLite is left out: processes that are not workers of one service share their counts only at intervals.
    if (adapter !== 'sqlite')
      it('allows exactly as many requests as the limit, whichever process they are in', async () => {
        assert.equal(await admitted([store, other], 50, { hour: 20 }), 20);
        assert.equal(await admitted([other], 5, { hour: 22 }), 2);
      });

    it('allows requests again in the next second', async () => {
      assert.ok((await admitted([store], 30, { second: 10 })) >= 10);
      // The clock of Redis cannot be set, so with Redis the test waits for the next second.
      await until('the next second has begun', async () => {
        const { allowed } = await charge(store, { second: 10 });
        if (!allowed) await at().elapse(100);
        return allowed;
      });
      assert.ok((await admitted([store], 30, { second: 10 })) >= 9);
    });

    it('charges none of the windows when one is full', async () => {
      await charge(store, { month: 1 });
      for (let n = 0; n < 5; n++) assert.equal((await charge(store, { month: 1, day: 10 })).allowed, false);
      assert.equal((await charge(store, { day: 10 })).remaining, 8);
    });

    it('charges the cost of a batch as a whole or not at all', async () => {
      assert.equal((await charge(store, { day: 10 }, { cost: 7 })).remaining, 3);
      assert.equal((await charge(store, { day: 10 }, { cost: 7 })).allowed, false);
      assert.equal((await charge(store, { day: 10 }, { cost: 3 })).remaining, 0);
    });

    it('keeps organizations and chains apart', async () => {
      assert.equal((await charge(store, { day: 1 })).allowed, true);
      assert.equal((await charge(store, { day: 1 })).allowed, false);
      assert.equal((await charge(store, { day: 1 }, { chain: 'Y' })).allowed, true);
      assert.equal((await charge(store, { day: 1 }, { organizationId: 'org_2' })).allowed, true);
    });

    it('applies the current limits to earlier usage', async () => {
      assert.equal(await admitted([store], 5, { day: 3 }), 3);
      assert.equal(await admitted([store], 5, { day: 6 }), 3);
      assert.equal(await admitted([store], 5, { day: 2 }), 0);
    });

    it('describes the window that is nearest to its limit', async () => {
      const { limit, remaining, resetMs } = await charge(store, { second: 50, hour: 40, day: 60 });
      assert.deepEqual([limit, remaining], [40, 39]);
      assert.ok(resetMs > 0 && resetMs <= 3_600_000);
    });

    it('remembers the usage of the longer windows across a restart', async () => {
      await admitted([store], 15, { day: 20 });
      await close(store);
      store = await open();
      assert.equal(await admitted([store], 50, { day: 20 }), 5);
    });
  });
