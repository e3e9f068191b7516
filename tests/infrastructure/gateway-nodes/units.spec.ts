import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createCancellation } from '../../../application/async/cancellation.js';
import { type Chain, withinUnits } from '../../../infrastructure/gateway-nodes/fetch-answer.js';
import { createMember, type Member } from '../../../infrastructure/gateway-nodes/member.js';
import { nodePool } from '../../../infrastructure/gateway-nodes/pool.js';
import { createNodeUnits } from '../../../infrastructure/gateway-nodes/units/node-units.js';
import { createUnitQueue } from '../../../infrastructure/gateway-nodes/units/unit-queue.js';
import { startAnsweringNode } from '../../support/chains/answering-node.js';
import { silent } from '../../support/silent.js';

/** Creates a clock that stands still until the test runs its timers. */
const createClock = () => {
  let clock = 0;
  const due: { at: number; work: () => void }[] = [];
  return {
    now: () => clock,
    later: (work: () => void, ms: number) => due.push({ at: clock + ms, work }),
    /** Advances the clock until no timer is left. */
    run: async () => {
      for (let next = due.shift(); next; next = due.shift()) {
        clock = Math.max(clock, next.at);
        next.work();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
};

describe('the rate limits of nodes in units', () => {
  const open = (perSecond: readonly number[], maxMs = 1e9) => {
    const { now, later, run } = createClock();
    const members = perSecond.map((most, place) => ({
      place,
      units: createNodeUnits(most, now),
      rests: false as boolean,
      isResting: () => members[place]?.rests ?? false,
    }));
    const queue = createUnitQueue<(typeof members)[number]>({ maxMs, later });
    const granted: { place: number; cost: number; at: number; call: number }[] = [];
    const enter = async (call: number, cost: number, cancellation = createCancellation()) => {
      const { place } = await queue.enter(cost, () => members, cancellation);
      granted.push({ place, cost, at: now(), call });
    };
    return { members, enter, granted, run };
  };

  it('are respected on average by every node, whatever the calls cost, and no call is lost or overtakes another', async () => {
    const costs = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        costs,
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 }),
        async (all, perSecond) => {
          const { enter, granted, run } = open(perSecond);
          const calls = Promise.all(all.map((cost, call) => enter(call, cost)));
          await run();
          await calls;
          assert.deepEqual(
            granted.map(({ call }) => call),
            all.map((_, call) => call),
          );
          for (const [place, most] of perSecond.entries()) {
            const own = granted.filter((one) => one.place === place);
            // All calls before the last one cost less than the units of one second plus those of the time until the
            // last call. The last call may exceed this sum.
            const before = own.slice(0, -1).reduce((sum, { cost }) => sum + cost, 0);
            assert.ok(before < most + ((own.at(-1)?.at ?? 0) / 1000) * most + 1e-6);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('divert calls to another node when the first has no units left, but not to an unhealthy one', async () => {
    const { members, enter, granted, run } = open([2, 2]);
    for (let call = 0; call < 4; call++) await enter(call, 1);
    assert.deepEqual(
      granted.map(({ place }) => place),
      [0, 0, 1, 1],
    );
    (members[0] as (typeof members)[number]).rests = true;
    const waiting = enter(4, 1);
    await run();
    await waiting;
    assert.equal(granted.at(-1)?.place, 1);
    assert.ok((granted.at(-1)?.at ?? 0) > 0);
  });

  it('are not spent on a call whose caller left, and reject a call that would wait too long', async () => {
    const { enter, granted, run } = open([1], 5000);
    await enter(0, 1);
    const cancellation = createCancellation();
    const left = assert.rejects(enter(1, 5, cancellation), /Client disconnected/);
    const served = enter(2, 6);
    await assert.rejects(enter(3, 1), /no units left for the next 5 s/);
    cancellation.cancel();
    await left;
    await run();
    await served;
    assert.deepEqual(
      granted.map(({ call }) => call),
      [0, 2],
    );
  });

  it('are used by a method that a setting adds as callers are charged for it', async () => {
    const [one, other] = ['one', 'other'].map((host) => createMember([new URL(`http://${host}`)], silent));
    const chain = { headWatch: { tip: () => 100 } } as unknown as Chain;
    const spent: (number | undefined)[] = [];
    const fetch = withinUnits([one as Member], chain, 1000, async (_call, _params, _kind, _cancellation, charged) => {
      spent.push(charged?.costOf(other as Member));
      return { result: Buffer.from('null') };
    });
    for (const method of ['trace_block', 'eth_blockNumber'])
      await fetch({ method, params: [] }, '[]', { kind: 'open' }, createCancellation());
    assert.deepEqual(spent, [2, 1]);
  });

  it('keep a pool within the configured units, while cached answers cost nothing', async () => {
    const hash = `0x${'1'.repeat(64)}`;
    const block = { number: '0x10', hash };
    const answers = {
      eth_chainId: () => '0x1',
      eth_getBlockByNumber: () => block,
      eth_getBlockByHash: () => block,
      eth_call: () => '0x',
    };
    const node = await startAnsweringNode(answers);
    const pool = nodePool([node.url], silent, false, { unitsPerSecond: 40, hedgeMs: 30_000 });
    try {
      const startedAt = performance.now();
      const call = async (i: number) =>
        pool.answer({ method: 'eth_call', params: [{ data: `0x${i.toString(16).padStart(2, '0')}` }, 'latest'] });
      await Promise.all(Array.from({ length: 25 }, (_, i) => call(i)));
      // The first 20 calls use the units of one second, and each further call uses the units of another 50 ms.
      assert.ok(performance.now() - startedAt >= 4 * 50 - 5);
      for (let i = 0; i < 1000; i++) await pool.answer({ method: 'eth_getBlockByHash', params: [hash, false] });
      assert.equal(node.asked.filter(({ method }) => method === 'eth_getBlockByHash').length, 1);
    } finally {
      await pool.close();
      await node.close();
    }
  });
});
