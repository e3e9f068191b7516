import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { memoryBudgetOf, type PageCache } from '../../infrastructure/settings/memory-budget.js';
import { openDatabase } from '../../infrastructure/sqlite/database.js';
import { freshDirectory } from '../support/run/directories.js';

const mebibyte = 1_048_576;
const smallStores = 32 * mebibyte;
const bytesPerFoldedEvent = 512;
const held = ({ cachedBytes, mappedBytes }: PageCache) => cachedBytes + mappedBytes;

describe('the memory budget', () => {
  it('gives every cache a part, and all of them together no more than the setting', () =>
    fc.assert(
      fc.property(fc.integer({ min: 64, max: 65_536 }), (mebibytes) => {
        const { eventPages, documentPages, gatewayAnswers, foldedEvents } = memoryBudgetOf(mebibytes * mebibyte);
        const pages = [eventPages.reading, eventPages.writing, documentPages.reading, documentPages.writing].map(held);
        const caches = [...pages, gatewayAnswers, foldedEvents * bytesPerFoldedEvent];
        assert.ok(caches.every((bytes) => bytes > mebibyte));
        const total = caches.reduce((sum, bytes) => sum + bytes, smallStores);
        assert.ok(total <= mebibytes * mebibyte && total > (mebibytes - 1) * mebibyte, `${total}`);
      }),
    ));

  it('limits the pages that a connection caches and maps', () => {
    const pages = memoryBudgetOf(256 * mebibyte).documentPages.reading;
    const db = openDatabase(join(freshDirectory(), 'pages.db'), 'relaxed', pages);
    try {
      assert.deepEqual(
        { ...db.prepare('PRAGMA cache_size').get() },
        { cache_size: -Math.floor(pages.cachedBytes / 1024) },
      );
      assert.deepEqual({ ...db.prepare('PRAGMA mmap_size').get() }, { mmap_size: pages.mappedBytes });
    } finally {
      db.close();
    }
  });
});
