import assert from 'node:assert/strict';
import { eachInSlices, mapInSlices, slicesOf } from '../../../application/async/slices.js';

describe('slicesOf', () => {
  for (const [items, expected] of [
    [[], []],
    [[1], [[1]]],
    [[1, 2, 3], [[1, 2, 3]]],
    [
      [1, 2, 3, 4, 5, 6, 7],
      [[1, 2, 3], [4, 5, 6], [7]],
    ],
  ] as const)
    it(`cuts a list of ${items.length} items into slices of at most 3`, () =>
      assert.deepEqual([...slicesOf(items, 3)], expected));
});

describe('mapInSlices', () => {
  /** Work whose items end when the test finishes or fails them. */
  const openWork = () => {
    const begun: number[] = [];
    const ends = new Map<number, { resolve(value: string): void; reject(error: Error): void }>();
    const work = (item: number) => {
      begun.push(item);
      return new Promise<string>((resolve, reject) => ends.set(item, { resolve, reject }));
    };
    const finish = (item: number) => ends.get(item)?.resolve(`done ${item}`);
    return { begun, work, finish, fail: (item: number) => ends.get(item)?.reject(new Error(`failed ${item}`)) };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('starts a slice when the previous one has finished, and returns the results in order', async () => {
    const { begun, work, finish } = openWork();
    const all = mapInSlices([1, 2, 3], 2, work);
    assert.deepEqual(begun, [1, 2]);
    finish(2);
    await turn();
    assert.deepEqual(begun, [1, 2]);
    finish(1);
    await turn();
    assert.deepEqual(begun, [1, 2, 3]);
    finish(3);
    assert.deepEqual(await all, ['done 1', 'done 2', 'done 3']);
  });

  it('rejects with the first failure and starts no further slice', async () => {
    const { begun, work, finish, fail } = openWork();
    const all = mapInSlices([1, 2, 3], 2, work);
    fail(2);
    await assert.rejects(all, /failed 2/);
    finish(1);
    await turn();
    assert.deepEqual(begun, [1, 2]);
  });

  it('returns an empty list for an empty list', async () => {
    assert.deepEqual(await mapInSlices([], 2, async () => assert.fail('there is nothing to work on')), []);
  });
});

describe('eachInSlices', () => {
  it('processes all items in order, and yields to the event loop after each slice', async () => {
    const seen: (number | string)[] = [];
    const breathe = async () => void seen.push('turn');
    await eachInSlices([1, 2, 3, 4, 5], 2, { breathe }, (item) => void seen.push(item));
    assert.deepEqual(seen, [1, 2, 'turn', 3, 4, 'turn', 5, 'turn']);
  });
});
