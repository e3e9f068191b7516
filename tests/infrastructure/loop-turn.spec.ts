import assert from 'node:assert/strict';
import { loopTurn } from '../../infrastructure/loop-turn.js';

const computations = 5;
const parts = 20;

describe('turns of the event loop', () => {
  it('each run one part of one long computation, and computations alternate', async () => {
    let turn = 0;
    const counting = new AbortController();
    const count = () => {
      turn++;
      if (!counting.signal.aborted) setImmediate(count);
    };
    const taken: { turn: number; by: number }[] = [];
    const compute = async (by: number) => {
      for (let part = 0; part < parts; part++) {
        await loopTurn();
        taken.push({ turn, by });
      }
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: computations }, (_, by) => compute(by)));
    counting.abort();
    assert.equal(new Set(taken.map((one) => one.turn)).size, computations * parts, 'no turn has two parts');
    const order = Array.from({ length: computations * parts }, (_, i) => i % computations);
    assert.deepEqual(
      taken.map(({ by }) => by),
      order,
    );
  });
});
