import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createNonces, nonceWindowMs, reservedAheadMs } from '../../../application/access/request-nonces.js';
import type { Limiter } from '../../../application/ports/limiter.js';
import type { StateStore } from '../../../application/ports/state.js';
import { limiters, states } from '../../support/engines/adapters.js';
import { sized } from '../../support/run/tier.js';
import { testSystem } from '../../support/silent.js';

const day = 86_400_000;
const isReplay = {
  code: 'UNAUTHENTICATED',
  message: 'x-api-nonce was already used. Sign the request again with a new nonce.',
};
const isForgotten = {
  code: 'UNAUTHENTICATED',
  message: /^x-api-nonce must be later than .*Z\. Earlier nonces cannot be checked/,
};

for (const [adapter, place] of Object.entries(limiters))
  describe(`the record of used nonces over the limiter on ${adapter}`, () => {
    const ends: (() => Promise<unknown>)[] = [];
    let state: StateStore;
    let limiter: Limiter;
    let start: number;
    const emptyLimiter = async () => {
      const at = await place();
      const opened = await at.open();
      ends.push(async () => {
        await opened.close();
        await (at as { end?(): Promise<void> }).end?.();
      });
      return opened;
    };
    beforeEach(async () => {
      state = await (await states.sqlite()).open();
      ends.push(() => state.close());
      limiter = await emptyLimiter();
      start = Date.now();
    });
    afterEach(async () => {
      for (const end of ends.splice(0)) await end();
    });

    /**
     * Creates the check for used nonces as a new process does, on the current `limiter`, which a test may replace.
     */
    const openNonces = () => {
      const current = {
        ...limiter,
        admit: (visit: Parameters<Limiter['admit']>[0]) => limiter.admit(visit),
        openSpan: (id: string) => limiter.openSpan(id),
      };
      return createNonces({ limiter: current, state, system: testSystem });
    };
    const spend = (nonces: ReturnType<typeof openNonces>, time: number) =>
      nonces.spend({ apiKey: 'key', nonce: `${time}-x` });

    it('accepts a nonce once across processes and restarts, and other nonces immediately', async () => {
      const [one, two] = [openNonces(), openNonces()];
      await spend(one, start);
      await assert.rejects(spend(two, start), isReplay);
      await assert.rejects(spend(openNonces(), start), isReplay);
      for (const off of [1, -nonceWindowMs + 1, nonceWindowMs - 1, 2]) await spend(openNonces(), start + off);
    });

    it('accepts no nonce twice after the limiter lost its data, and accepts new ones from the reserved time on', async () => {
      const before = openNonces();
      for (const off of [0, 1000, 5000]) await spend(before, start + off);
      limiter = await emptyLimiter();
      for (const after of [before, openNonces()])
        for (const off of [0, 1000, 5000, 5001]) await assert.rejects(spend(after, start + off), isForgotten);
      await spend(openNonces(), start + 5000 + 2 * reservedAheadMs);
      await spend(before, start + 5001 + 2 * reservedAheadMs);
    });

    it('accepts no nonce twice after the clock jumped a month ahead and back, and soon accepts new ones', async () => {
      const nonces = openNonces();
      await spend(nonces, start);
      const later = start + 30 * day;
      for (const off of [0, 1000]) await spend(nonces, later + off);
      for (const after of [nonces, openNonces()]) await assert.rejects(spend(after, start), isForgotten);
      for (let off = 2 * reservedAheadMs; off < 10 * reservedAheadMs; off += 1000) await spend(nonces, start + off);
      await assert.rejects(spend(nonces, start + 2 * reservedAheadMs), isReplay);
      // A month later, the clock reaches the time to which it had jumped ahead.
      for (const off of [0, 500, 1000]) await assert.rejects(spend(openNonces(), later + off), isForgotten);
      await spend(openNonces(), later + 3 * reservedAheadMs);
    });

    it('rejects nonces far in the past after a clock that was ahead is set back', async () => {
      const nonces = openNonces();
      const used = Array.from({ length: 60 }, (_, i) => start + i * 30_000);
      for (const time of used) await spend(nonces, time);
      for (const time of used) await assert.rejects(spend(openNonces(), time), { code: 'UNAUTHENTICATED' });
      await spend(nonces, start + 61 * 30_000);
    });

    it('writes to the process state once for many requests, none of which waits for the write', async () => {
      let puts = 0;
      const hold: { isOn: boolean } = { isOn: false };
      const held = {
        ...state,
        put: async (...given: Parameters<StateStore['put']>) => {
          puts++;
          return hold.isOn ? new Promise<boolean>(() => undefined) : state.put(...given);
        },
      };
      const nonces = createNonces({ limiter, state: held, system: testSystem });
      await spend(nonces, start);
      hold.isOn = true;
      for (let off = 1; off <= reservedAheadMs; off += 100) await spend(nonces, start + off);
      assert.equal(puts, 2);
    });

    it('reserves one span for many concurrent first requests', async () => {
      const all = [openNonces(), openNonces()];
      await Promise.all(Array.from({ length: 20 }, (_, i) => spend(all[i % 2] as (typeof all)[0], start + i)));
      const spans = JSON.parse((await state.get('processes', 'nonces:spans'))?.value ?? '[]') as unknown[];
      assert.equal(spans.length, 1);
    });
  });

describe('a nonce', () => {
  type Step = { readonly kind: 'use' | 'replay' | 'pass' | 'jump' | 'restart' | 'lose'; readonly n: number };
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('use' as const), n: fc.integer({ min: -300, max: 300 }) }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('replay' as const), n: fc.nat(1000) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), n: fc.nat(900) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('jump' as const), n: fc.integer({ min: -5000, max: 5000 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'lose' as const), n: fc.constant(0) }),
    },
  );

  it('is never accepted twice, whatever the clock and the limiter do', async () => {
    const state = await (await states.sqlite()).open();
    let runs = 0;
    const run = async (steps: readonly Step[]) => {
      const number = ++runs;
      const name = (id: string) => `${id}:${number}`;
      const own: StateStore = {
        ...state,
        get: (bucket, id) => state.get(bucket, name(id)),
        put: (bucket, id, ...rest) => state.put(bucket, name(id), ...rest),
      };
      let limiter = await (await limiters.sqlite()).open();
      let nonces = createNonces({ limiter, state: own, system: testSystem });
      let now = 1_800_000_000_000;
      const accepted: number[] = [];
      const use = async (time: number) => {
        if (Math.abs(time - now) > nonceWindowMs) return;
        await nonces.spend({ apiKey: 'key', nonce: `${time}-x` }).then(
          () => accepted.push(time),
          (error: { code?: string }) => assert.equal(error.code, 'UNAUTHENTICATED'),
        );
      };
      const doing: Record<Step['kind'], (n: number) => unknown> = {
        use: (n) => use(now + n * 1000),
        replay: (n) => (accepted.length > 0 ? use(accepted[n % accepted.length] as number) : undefined),
        pass: (n) => (now += n * 1000),
        jump: (n) => (now += n * 1000),
        restart: () => (nonces = createNonces({ limiter, state: own, system: testSystem })),
        lose: async () => {
          await limiter.close();
          limiter = await (await limiters.sqlite()).open();
          nonces = createNonces({ limiter, state: own, system: testSystem });
        },
      };
      for (const { kind, n } of steps) await doing[kind](n);
      await limiter.close();
      assert.equal(new Set(accepted).size, accepted.length, `accepted twice: ${accepted}`);
    };
    const numRuns = sized(15, 500);
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), run), { numRuns });
    await state.close();
  });
});
