import assert from 'node:assert/strict';
import { mapInSlices, slicesOf } from '../../../application/async/slices.js';

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
    it(`cuts a list of ${items.length} into parts of 3`, () => assert.deepEqual([...slicesOf(items, 3)], expected));
});

describe('mapInSlices', () => {
  /** Work that is done when the test says so. */
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

  it('begins a slice when the one before is done, and gives the results in order', async () => {
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

  it('rejects with the first failure and begins no further slice', async () => {
    const { begun, work, finish, fail } = openWork();
    const all = mapInSlices([1, 2, 3], 2, work);
    fail(2);
    await assert.rejects(all, /failed 2/);
    finish(1);
    await turn();
    assert.deepEqual(begun, [1, 2]);
  });

  it('gives an empty list for an empty list', async () => {
    assert.deepEqual(await mapInSlices([], 2, async () => assert.fail('there is nothing to work on')), []);
  });
});
