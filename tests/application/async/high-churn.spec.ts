import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { createHighChurnMap, createHighChurnSet } from '../../../application/async/high-churn.js';

/** Makes a function that runs a minor garbage collection, as V8 does between full collections. */
const youngCollector = (): (() => void) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: string }) => void;
  return () => collect({ type: 'minor' });
};

const members = 1000;
const megabyte = 1_048_576;

/** Returns the megabytes retained after 3200 arrays of a thousand members were added and deleted, 32 at a time. */
const leftAfter = (pass: (values: readonly unknown[][], serial: number) => void): number => {
  const collect = youngCollector();
  pass([[]], -1);
  // Objects that survive two collections count as old.
  for (let i = 0; i < 3; i++) collect();
  const before = process.memoryUsage().heapUsed;
  // A separate call makes the values, so that no variable refers to them during a collection.
  const step = (i: number) =>
    pass(
      Array.from({ length: 32 }, () => new Array(members).fill(i)),
      i,
    );
  for (let i = 0; i < 100; i++) {
    step(i);
    collect();
  }
  return (process.memoryUsage().heapUsed - before) / megabyte;
};

/** Limit in megabytes, far below the 24 MB of all values. A plain Map would retain 9 MB, and a plain Set 18 MB. */
const few = 4;

const keys = ['a', 'b', 'c', 'd'];
type Change = { readonly key: string; readonly isAdded: boolean };
const change: fc.Arbitrary<Change> = fc.record({ key: fc.constantFrom(...keys), isAdded: fc.boolean() });
const changes = fc.array(change, { maxLength: 40 });

describe('high-churn collections', () => {
  it('hold the same entries as a Map after any changes', () => {
    const check = (given: readonly Change[]) => {
      const [ours, theirs] = [createHighChurnMap<number>(), new Map<string, number>()];
      const apply = ({ key, isAdded }: Change, i: number) => {
        for (const map of [ours, theirs]) isAdded ? map.set(key, i) : map.delete(key);
        assert.deepEqual(
          keys.map((one) => ours.get(one)),
          keys.map((one) => theirs.get(one)),
        );
      };
      given.forEach(apply);
    };
    fc.assert(fc.property(changes, check));
  });

  it('hold the same members as a Set after any changes', () => {
    const objects = new Map(keys.map((key) => [key, { key }]));
    const check = (given: readonly Change[]) => {
      const [ours, theirs] = [createHighChurnSet(), new Set<object>()];
      const apply = ({ key, isAdded }: Change) => {
        const one = objects.get(key) as object;
        for (const set of [ours, theirs]) isAdded ? set.add(one) : set.delete(one);
        assert.deepEqual([ours.size, new Set(ours)], [theirs.size, theirs]);
      };
      given.forEach(apply);
    };
    fc.assert(fc.property(changes, check));
  });

  it('release deleted map values before the next full garbage collection', () => {
    const map = createHighChurnMap<unknown>();
    const left = leftAfter((values, serial) => {
      for (const [i, value] of values.entries()) map.set(`${serial} ${i}`, value);
      for (const i of values.keys()) map.delete(`${serial} ${i}`);
    });
    assert.ok(left < few, `${left} MB are left`);
  });

  it('release deleted set members before the next full garbage collection', () => {
    const set = createHighChurnSet<unknown[]>();
    const left = leftAfter((values) => {
      for (const value of values) set.add(value);
      for (const value of values) set.delete(value);
    });
    assert.ok(left < few, `${left} MB are left`);
  });
});
