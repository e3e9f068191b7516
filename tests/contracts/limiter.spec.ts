import assert from 'node:assert/strict';
import type { Limiter } from '../../application/ports/limiter.js';
import { limiters } from '../support/adapters.js';
import { usePlace } from '../support/places.js';

const day = 86_400_000;

for (const [adapter, place] of Object.entries(limiters))
  describe(`limiter contract: ${adapter}`, () => {
    const { place: at, open, close } = usePlace(place);
    let store: Limiter;
    let other: Limiter;
    let now: number;
    beforeEach(async () => {
      [store, other] = await Promise.all([open(), open()]);
      now = at().now();
    });

    it('gives a nonce to one of many callers, whichever process they are in', async () => {
      const race = await Promise.all(
        Array.from({ length: 50 }, (_, n) => (n % 2 ? store : other).claimNonce('key', `${now}-x`)),
      );
      assert.equal(race.filter(Boolean).length, 1);
    });

    it('takes the same nonce under another key', async () => {
      assert.equal(await store.claimNonce('a', String(now)), true);
      assert.equal(await store.claimNonce('b', String(now)), true);
    });

    it('remembers a nonce through a restart, for as long as a request with it could be accepted', async () => {
      assert.equal(await store.claimNonce('key', `${now + 299_000}-x`), true);
      await close(store);
      store = await open();
      await at().elapse(598_000);
      assert.equal(await store.claimNonce('key', `${at().now()}-y`), true);
      assert.equal(await store.claimNonce('key', `${now + 299_000}-x`), false);
    });

    it('knows a repeated request by its key, and its answer once there is one', async () => {
      const first = await store.claimIdempotencyKey('key', 'k1', 'request');
      assert.equal(first.kind, 'first');
      assert.deepEqual(await other.claimIdempotencyKey('key', 'k1', 'request'), first);
      await store.recordAnswer('key', 'k1', 'answer');
      await other.recordAnswer('key', 'k1', 'a later answer');
      assert.deepEqual(await other.claimIdempotencyKey('key', 'k1', 'request'), { kind: 'answered', answer: 'answer' });
    });

    it('tells another request with the same key apart, answered or not', async () => {
      await store.claimIdempotencyKey('key', 'k1', 'request');
      assert.deepEqual(await other.claimIdempotencyKey('key', 'k1', 'another'), { kind: 'other-request' });
      await store.recordAnswer('key', 'k1', 'answer');
      assert.deepEqual(await other.claimIdempotencyKey('key', 'k1', 'another'), { kind: 'other-request' });
      assert.equal((await other.claimIdempotencyKey('other key', 'k1', 'another')).kind, 'first');
    });

    it('forgets an answer after a day, and what ids followed from', async () => {
      const first = await store.claimIdempotencyKey('key', 'k1', 'request');
      await store.recordAnswer('key', 'k1', 'answer');
      await at().elapse(day - 1000);
      assert.equal((await store.claimIdempotencyKey('key', 'k1', 'request')).kind, 'answered');
      await at().elapse(2000);
      const anew = await store.claimIdempotencyKey('key', 'k1', 'request');
      assert.equal(anew.kind, 'first');
      assert.notDeepEqual(anew, first);
    });
  });
