import assert from 'node:assert/strict';
import {
  createLargeWorkThrottle,
  type LargeWorkThrottle,
} from '../../../../application/async/turns/large-work-throttle.js';

/** Starts a throttle on a clock that only sleeping advances; `during` runs in each sleep. */
const scene = (during: (shares: LargeWorkThrottle) => Promise<void>) => {
  const clock = { ms: 0, slept: 0 };
  const shares: LargeWorkThrottle = createLargeWorkThrottle({
    now: () => clock.ms,
    sleep: async (ms) => {
      clock.slept += ms;
      await during(shares);
    },
  });
  const large = (tookMs: number, meanwhile = async () => {}) =>
    shares.large('greedy', async () => {
      clock.ms += tookMs;
      await meanwhile();
    });
  return { clock, shares, large };
};
const nothing = async () => {};

describe('the throttle for large work', () => {
  const ask = (shares: LargeWorkThrottle) => shares.small('modest', nothing);

  it('leaves at least nine tenths of the time to other busy organizations', async () => {
    const { clock, shares, large } = scene(ask);
    await large(60, () => ask(shares));
    await large(20, () => ask(shares));
    assert.equal(clock.slept, 600);
    await large(60);
    assert.equal(clock.slept, 800);
  });

  it('starts large work immediately when no other organization is active', async () => {
    const { clock, large } = scene(nothing);
    await large(60);
    await large(60);
    assert.equal(clock.slept, 0);
  });

  it('starts large work soon after other organizations become idle', async () => {
    const { clock, shares, large } = scene(nothing);
    await large(60, () => ask(shares));
    await large(60);
    assert.equal(clock.slept, 100);
  });

  it("counts other organizations' work that is still running, however long it takes", async () => {
    const { clock, shares, large } = scene(nothing);
    let end = () => {};
    const running = shares.small('modest', () => new Promise<void>((done) => (end = done)));
    await large(60);
    await large(60);
    assert.equal(clock.slept, 600);
    end();
    await running;
  });

  it('never delays small work', async () => {
    const { clock, shares, large } = scene((shares) => shares.small('greedy', nothing));
    await large(60, () => shares.small('greedy', nothing));
    await large(60);
    assert.equal(clock.slept, 0);
  });

  it('pauses for at most two seconds, however long the large work took', async () => {
    const { clock, shares, large } = scene(ask);
    await large(60_000, () => ask(shares));
    await large(60);
    assert.equal(clock.slept, 2000);
  });

  it('counts a hundred steps a second of one organization as small, and none of single steps', () => {
    const { clock, shares } = scene(nothing);
    const isLarge = (...sizes: readonly number[]) => sizes.map((steps) => shares.isLarge('greedy', steps));
    assert.deepEqual(isLarge(99, 100, 1, 1), [false, true, false, false]);
    assert.deepEqual(isLarge(50, 3, 2, 1), [true, true, false, false]);
    assert.equal(shares.isLarge('modest', 60), false);
    clock.ms += 500;
    assert.deepEqual(isLarge(52, 40, 60), [true, false, true]);
    clock.ms += 1000;
    assert.deepEqual(isLarge(99), [false]);
  });

  it('pauses after large work that fails', async () => {
    const { clock, shares, large } = scene(ask);
    const failing = large(60, async () => {
      await ask(shares);
      throw new Error('as asked');
    });
    await assert.rejects(failing, /as asked/);
    await large(60);
    assert.equal(clock.slept, 600);
  });
});
