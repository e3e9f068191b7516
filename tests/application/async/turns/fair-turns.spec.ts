import assert from 'node:assert/strict';
import { createFairTurns } from '../../../../application/async/turns/fair-turns.js';

/** Starts tasks that the test ends, and records the order in which they start. */
const createScene = (bounds: Parameters<typeof createFairTurns>[0]) => {
  const turns = createFairTurns(bounds);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (key: string, name: string) =>
    turns(key, () => {
      started.push(name);
      return new Promise<void>((end) => ends.push(end));
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endFirst = async () => {
    ends.shift()?.();
    await settle();
  };
  return { turns, started, ask, endFirst, settle };
};

describe('fair turns', () => {
  it('makes a newcomer wait for one task of a key that has a hundred waiting', async () => {
    const { started, ask, endFirst } = createScene({ maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaiting: 100 });
    const greedy = Array.from({ length: 100 }, (_, i) => ask('greedy', `greedy ${i}`));
    const modest = ask('modest', 'modest');
    while (!started.includes('modest')) await endFirst();
    assert.deepEqual(started, ['greedy 0', 'modest']);
    while (started.length < 101) await endFirst();
    await endFirst();
    await Promise.all([...greedy, modest]);
  });

  it('gives each key one task per round, in the order of their requests', async () => {
    const { started, ask, endFirst } = createScene({ maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaiting: 10 });
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => ask(name[0] as string, name));
    for (const _ of all) await endFirst();
    await Promise.all(all);
    assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('runs no more concurrent tasks of a key than its limit, even if there is room', async () => {
    const { started, ask, endFirst, settle } = createScene({
      maxConcurrent: 3,
      maxConcurrentPerKey: 2,
      maxWaiting: 10,
    });
    const all = ['a1', 'a2', 'a3', 'b1'].map((name) => ask(name[0] as string, name));
    await settle();
    assert.deepEqual(started, ['a1', 'a2', 'b1']);
    await endFirst();
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3']);
    for (const _ of all) await endFirst();
    await Promise.all(all);
  });

  it('rejects a task of a key whose queue is full, and accepts tasks of other keys', async () => {
    const { started, ask, endFirst } = createScene({ maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaiting: 2 });
    const greedy = ['a1', 'a2', 'a3'].map((name) => ask('a', name));
    await assert.rejects(ask('a', 'a4'), { code: 'RATE_LIMITED' });
    const modest = ask('b', 'b1');
    for (let i = 0; i < 4; i++) await endFirst();
    await Promise.all([...greedy, modest]);
    assert.deepEqual(started, ['a1', 'b1', 'a2', 'a3']);
  });

  it('continues with the next task after one that failed', async () => {
    const { turns } = createScene({ maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaiting: 2 });
    const failing = turns('a', async () => {
      throw new Error('broken');
    });
    const next = turns('a', async () => 'done');
    await assert.rejects(failing, /broken/);
    assert.equal(await next, 'done');
  });
});
