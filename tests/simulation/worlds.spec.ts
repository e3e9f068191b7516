import assert from 'node:assert/strict';
import { withoutRealWorld } from './real-world.js';
import { playWorld } from './scenario.js';

const seeds = Array.from({ length: 10 }, (_, n) => n + 1);
const minutes = 15;

describe('a simulated world', () => {
  it('is the same for the same seed, line by line', async () => {
    const [one, other] = [await playWorld(6, minutes), await playWorld(6, minutes)];
    assert.ok(one.trace.length > 10);
    assert.deepEqual(one.trace, other.trace);
    assert.equal(one.steps, other.steps);
  });

  it('reaches for no real time and no real luck', async () => {
    const reached = new Set<string>();
    await withoutRealWorld(
      () => playWorld(2, minutes),
      (name) => reached.add(name),
    );
    assert.deepEqual([...reached], []);
  });

  for (const seed of seeds)
    it(`holds with seed ${seed}: npm run simulate -- --seed ${seed} --minutes ${minutes} --trace`, async () => {
      const { failure } = await playWorld(seed, minutes);
      if (failure) throw failure;
    });
});
