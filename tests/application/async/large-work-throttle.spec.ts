import assert from 'node:assert/strict';
import { createLargeWorkThrottle, type LargeWorkThrottle } from '../../../application/async/large-work-throttle.js';

/** Starts shares on a clock that only sleeping moves; `during` runs in each sleep. */
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

describe('shares of time', () => {
  const ask = (shares: LargeWorkThrottle) => shares.small('modest', nothing);

  it('leave nine tenths and more of the time to others who keep asking', async () => {
    const { clock, shares, large } = scene(ask);
    await large(60, () => ask(shares));
    await large(20, () => ask(shares));
    assert.equal(clock.slept, 600);
    await large(60);
    assert.equal(clock.slept, 800);
  });

  it('let large work begin at once where nobody else asks', async () => {
    const { clock, large } = scene(nothing);
    await large(60);
    await large(60);
    assert.equal(clock.slept, 0);
  });

  it('let large work begin soon after the others have become quiet', async () => {
    const { clock, shares, large } = scene(nothing);
    await large(60, () => ask(shares));
    await large(60);
    assert.equal(clock.slept, 100);
  });

  it('count work of others that still runs, however long it takes', async () => {
    const { clock, shares, large } = scene(nothing);
    let end = () => {};
    const running = shares.small('modest', () => new Promise<void>((done) => (end = done)));
    await large(60);
    await large(60);
    assert.equal(clock.slept, 600);
    end();
    await running;
  });

  it('make nobody wait for small work of their own', async () => {
    const { clock, shares, large } = scene((shares) => shares.small('greedy', nothing));
    await large(60, () => shares.small('greedy', nothing));
    await large(60);
    assert.equal(clock.slept, 0);
  });

  it('pause for two seconds at most, however long large work took', async () => {
    const { clock, shares, large } = scene(ask);
    await large(60_000, () => ask(shares));
    await large(60);
    assert.equal(clock.slept, 2000);
  });

  it('pause after large work that fails, too', async () => {
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
