import assert from 'node:assert/strict';
import { createTurnBudget } from '../../../../application/async/turns/turn-budget.js';

describe('the per-turn budget', () => {
  /** Creates a budget and lets the test end each turn; records the order in which work starts. */
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

  it('starts work immediately while its key has budget left', () => {
    const { begun, start } = scene(2);
    for (const name of ['a1', 'a2', 'a3']) start('a', 1, name);
    assert.deepEqual(begun, ['a1', 'a2']);
  });

  it('starts work of another key immediately, whatever is waiting', () => {
    const { begun, start } = scene(1);
    for (let i = 0; i < 1000; i++) start('a', 1);
    start('b', 1);
    assert.deepEqual(begun, ['a', 'b']);
  });

  it('starts waiting work in later turns, in order and within the budget of each turn', async () => {
    const { begun, start, endTurn } = scene(2);
    for (const name of ['1', '2', '3', '4', '5']) start('a', 1, name);
    await endTurn();
    assert.deepEqual(begun, ['1', '2', '3', '4']);
    start('a', 1, '6');
    await endTurn();
    assert.deepEqual(begun, ['1', '2', '3', '4', '5', '6']);
  });

  it('starts work that costs more than a whole turn, and nothing else in that turn', async () => {
    const { begun, start, endTurn } = scene(2);
    start('a', 100, 'large');
    start('a', 1, 'small');
    assert.deepEqual(begun, ['large']);
    await endTurn();
    assert.deepEqual(begun, ['large', 'small']);
  });

  it('counts no turns while every key has budget left', async () => {
    const { start, endTurn, turns } = scene(1);
    start('a', 1);
    assert.equal(turns(), 0);
    start('a', 1);
    assert.equal(turns(), 1);
    await endTurn();
    assert.equal(turns(), 0);
  });
});
