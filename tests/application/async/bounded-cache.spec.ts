import assert from 'node:assert/strict';
import { createBoundedCache } from '../../../application/async/bounded-cache.js';

describe('a bounded cache', () => {
  const filled = () => {
    const cache = createBoundedCache<string, number>(3);
    for (const [i, key] of ['a', 'b', 'c'].entries()) cache.set(key, i);
    return cache;
  };
  const keysIn = (cache: ReturnType<typeof filled>) => ['a', 'b', 'c', 'd', 'e'].filter(cache.has).join('');

  it('keeps entries up to its limit, each with the value that was set last', () => {
    const cache = filled();
    cache.set('b', 7);
    assert.equal(keysIn(cache), 'abc');
    assert.deepEqual(['a', 'b', 'c', 'd'].map(cache.get), [0, 7, 2, undefined]);
  });

  it('drops the oldest entry for a new one', () => {
    const cache = filled();
    cache.set('d', 3);
    assert.equal(keysIn(cache), 'bcd');
    cache.set('e', 4);
    assert.equal(keysIn(cache), 'cde');
  });

  it('counts an entry that is set again as new', () => {
    const cache = filled();
    cache.set('a', 5);
    cache.set('d', 3);
    assert.equal(keysIn(cache), 'acd');
  });

  it('does not count an entry that is read as new', () => {
    const cache = filled();
    cache.get('a');
    cache.set('d', 3);
    assert.equal(keysIn(cache), 'bcd');
  });

  it('deletes one entry, which makes room for another, or all of them', () => {
    const cache = filled();
    cache.delete('b');
    cache.set('d', 3);
    assert.equal(keysIn(cache), 'acd');
    cache.clear();
    assert.equal(keysIn(cache), '');
  });
});
