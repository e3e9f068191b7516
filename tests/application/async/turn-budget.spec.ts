import assert from 'node:assert/strict';
import { createTurnBudget } from '../../../application/async/turn-budget.js';

describe('the budget of a turn', () => {
  /** Makes a budget whose turns end when the test says so, and notes in which order work begins. */
  const scene = (most: number) => {
    const ends: (() => void)[] = [];
    const begin = createTurnBudget(most, () => new Promise((end) => ends.push(end)));
    const begun: string[] = [];
    const start = (key: string, cost: number, name = key) => {
      const turn = begin(key, cost);
      if (turn instanceof Promise) void turn.then(() => begun.push(name));
      else begun.push(name);
    };
    const endTurn = async () => {
      ends.shift()?.();
      await new Promise<void>((resolve) => setImmediate(resolve));
    };
    return { begun, start, endTurn, turns: () => ends.length };
  };

  it('lets work begin at once while the key has some left', () => {
    const { begun, start } = scene(2);
    for (const name of ['a1', 'a2', 'a3']) start('a', 1, name);
    assert.deepEqual(begun, ['a1', 'a2']);
  });

  it('lets another key begin at once, whatever waits', () => {
    const { begun, start } = scene(1);
    for (let i = 0; i < 1000; i++) start('a', 1);
    start('b', 1);
    assert.deepEqual(begun, ['a', 'b']);
  });

  it('lets what waits begin in later turns, in order and no more than fits into each', async () => {
    const { begun, start, endTurn } = scene(2);
    for (const name of ['1', '2', '3', '4', '5']) start('a', 1, name);
    await endTurn();
    assert.deepEqual(begun, ['1', '2', '3', '4']);
    start('a', 1, '6');
    await endTurn();
    assert.deepEqual(begun, ['1', '2', '3', '4', '5', '6']);
  });

  it('lets work begin that costs more than a whole turn, and nothing after it in that turn', async () => {
    const { begun, start, endTurn } = scene(2);
    start('a', 100, 'large');
    start('a', 1, 'small');
    assert.deepEqual(begun, ['large']);
    await endTurn();
    assert.deepEqual(begun, ['large', 'small']);
  });

  it('counts no turns while every key has some left', async () => {
    const { start, endTurn, turns } = scene(1);
    start('a', 1);
    assert.equal(turns(), 0);
    start('a', 1);
    assert.equal(turns(), 1);
    await endTurn();
    assert.equal(turns(), 0);
  });
});
