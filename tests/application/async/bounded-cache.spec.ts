import assert from 'node:assert/strict';
import { createBoundedCache } from '../../../application/async/bounded-cache.js';

describe('a bounded cache', () => {
  const filled = () => {
    const cache = createBoundedCache<string, number>(3);
    for (const [i, key] of ['a', 'b', 'c'].entries()) cache.set(key, i);
    return cache;
  };
  const keysIn = (cache: ReturnType<typeof filled>) => ['a', 'b', 'c', 'd', 'e'].filter(cache.has).join('');

  it('keeps entries up to its limit, each with its latest value', () => {
    const cache = filled();
    cache.set('b', 7);
    assert.equal(keysIn(cache), 'abc');
    assert.deepEqual(['a', 'b', 'c', 'd'].map(cache.get), [0, 7, 2, undefined]);
  });

  it('evicts the oldest entry to make room for a new one', () => {
    const cache = filled();
    cache.set('d', 3);
    assert.equal(keysIn(cache), 'bcd');
    cache.set('e', 4);
    assert.equal(keysIn(cache), 'cde');
  });

  it('treats an entry that is set again as new', () => {
    const cache = filled();
    cache.set('a', 5);
    cache.set('d', 3);
    assert.equal(keysIn(cache), 'acd');
  });

  it('keeps an entry that was read since it was set, and evicts the oldest of the others', () => {
    const cache = filled();
    cache.get('a');
    cache.set('d', 3);
    assert.equal(keysIn(cache), 'acd');
    assert.deepEqual(['a', 'c', 'd'].map(cache.get), [0, 2, 3]);
  });

  it('keeps an entry that is read repeatedly, however many others are added', () => {
    const cache = filled();
    for (let i = 0; i < 10; i++) {
      assert.equal(cache.get('a'), 0);
      cache.set(`new ${i}`, i);
    }
    assert.equal(cache.has('a'), true);
  });

  it('evicts the oldest entry when all were read', () => {
    const cache = filled();
    for (const key of ['c', 'b', 'a']) cache.get(key);
    cache.set('d', 3);
    assert.equal(keysIn(cache), 'bcd');
  });

  it('does not count a check for an entry as a read', () => {
    const cache = filled();
    cache.has('a');
    cache.set('d', 3);
    assert.equal(keysIn(cache), 'bcd');
  });

  it('deletes one entry, which makes room for another, or all entries', () => {
    const cache = filled();
    cache.delete('b');
    cache.set('d', 3);
    assert.equal(keysIn(cache), 'acd');
    cache.clear();
    assert.equal(keysIn(cache), '');
  });
});
