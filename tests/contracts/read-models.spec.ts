import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { DocumentKey, Found, PageKey, ReadModels } from '../../application/ports/read-models.js';
import type { Collection } from '../../projections/define.js';
import { readModels } from '../support/engines/adapters.js';
import { usePlace } from '../support/engines/places.js';

type Note = { id: string; owner: string; at: number; text?: string };
const notes: Collection<Note> = {
  name: 'notes',
  version: 1,
  indexes: { all: { equal: [], order: 'at' }, byOwner: { equal: ['owner'], order: 'at' } },
};
const letters: Collection<Note> = { ...notes, name: 'letters' };

const note = (id: string, at: number, owner = 'ann'): Note => ({ id, owner, at });
const put = (document: Note, scope = 'one', collection = notes) => ({ collection, scope, id: document.id, document });

const less = (a: string, b: string) => (a < b ? -1 : 1);

for (const [adapter, place] of Object.entries(readModels))
  describe(`the read models on ${adapter}`, () => {
    const { open } = usePlace(() => place([notes, letters]));
    let store: ReadModels;
    const commit = async (...changes: Parameters<ReadModels['commit']>[0]) => {
      const from = await store.checkpoint();
      assert.equal(await store.commit(changes, from, { notes: from.revision + 1 }), true);
    };
    const walk = async (
      query: { index: string; equal: string[]; limit: number; oldestFirst?: boolean },
      scope = 'one',
    ) => {
      const found: string[][] = [];
      let after: PageKey | undefined;
      do {
        const page = await store.page(notes, scope, { ...query, after });
        found.push(page.documents.map(({ id }) => id));
        after = page.next ?? undefined;
      } while (after);
      return found;
    };
    beforeEach(async () => {
      store = await open();
    });

    it('start empty, with a checkpoint at the beginning', async () => {
      assert.deepEqual(await store.checkpoint(), { revision: 0, positions: {} });
      assert.equal(await store.get(notes, { scope: 'one', id: 'a' }), null);
      assert.deepEqual(await store.page(notes, 'one', { index: 'all', equal: [], limit: 10 }), {
        documents: [],
        next: null,
      });
    });

    it('commit documents and checkpoint together, and show them to every process', async () => {
      const other = await open();
      await commit(put({ ...note('a', 1), text: 'Zürich \u{1f98a}' }), put(note('b', 2)));
      for (const reader of [store, other]) {
        assert.deepEqual(await reader.get(notes, { scope: 'one', id: 'a' }), {
          ...note('a', 1),
          text: 'Zürich \u{1f98a}',
        });
        assert.deepEqual(await reader.checkpoint(), { revision: 1, positions: { notes: 1 } });
      }
    });

    it('replace and remove documents', async () => {
      await commit(put(note('a', 1)), put(note('b', 2)));
      await commit(put(note('a', 3, 'bob')), { collection: notes, scope: 'one', id: 'b', document: null });
      assert.deepEqual(
        await store.getMany(notes, [
          { scope: 'one', id: 'b' },
          { scope: 'one', id: 'a' },
        ]),
        [null, note('a', 3, 'bob')],
      );
      assert.deepEqual(await walk({ index: 'byOwner', equal: ['ann'], limit: 5 }), [[]]);
      assert.deepEqual(await walk({ index: 'byOwner', equal: ['bob'], limit: 5 }), [['a']]);
    });

    it('keep scopes and collections apart', async () => {
      await commit(put(note('a', 1)), put(note('a', 2), 'two'), put(note('a', 3), 'one', letters));
      assert.equal((await store.get(notes, { scope: 'one', id: 'a' }))?.at, 1);
      assert.equal((await store.get(notes, { scope: 'two', id: 'a' }))?.at, 2);
      assert.equal((await store.get(letters, { scope: 'one', id: 'a' }))?.at, 3);
      assert.deepEqual(await walk({ index: 'all', equal: [], limit: 5 }, 'two'), [['a']]);
      assert.deepEqual(await walk({ index: 'all', equal: [], limit: 5 }, 'three'), [[]]);
    });

    it('reject a commit from a stale checkpoint, and write nothing of it', async () => {
      const stale = await store.checkpoint();
      await commit(put(note('a', 1)));
      assert.equal(await store.commit([put(note('a', 9)), put(note('z', 9))], stale, { notes: 99 }), false);
      assert.equal((await store.get(notes, { scope: 'one', id: 'a' }))?.at, 1);
      assert.equal(await store.get(notes, { scope: 'one', id: 'z' }), null);
      assert.deepEqual(await store.checkpoint(), { revision: 1, positions: { notes: 1 } });
    });

    it('let one of two runners commit, whichever process it is in', async () => {
      const other = await open();
      for (let round = 0; round < 20; round++) {
        const from = await store.checkpoint();
        const race = await Promise.all(
          [store, other].map((one, n) => one.commit([put(note(`r${round}`, n))], from, { n })),
        );
        assert.deepEqual(race.filter(Boolean).length, 1);
        const winner = race.indexOf(true);
        assert.equal((await store.get(notes, { scope: 'one', id: `r${round}` }))?.at, winner);
        assert.deepEqual((await store.checkpoint()).positions, { n: winner });
      }
    });

    it('page newest first or oldest first, and mark the last page', async () => {
      await commit(...['a', 'b', 'c', 'd'].map((id, i) => put(note(id, i, i === 1 ? 'bob' : 'ann'))));
      assert.deepEqual(await walk({ index: 'all', equal: [], limit: 3 }), [['d', 'c', 'b'], ['a']]);
      assert.deepEqual(await walk({ index: 'all', equal: [], limit: 4 }), [['d', 'c', 'b', 'a']]);
      assert.deepEqual(await walk({ index: 'byOwner', equal: ['ann'], limit: 2 }), [['d', 'c'], ['a']]);
      assert.deepEqual(await walk({ index: 'byOwner', equal: ['ann'], limit: 2, oldestFirst: true }), [
        ['a', 'c'],
        ['d'],
      ]);
    });

    it('page without gap or repetition while others insert and when order values are equal', () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 30 }),
          fc.integer({ min: 1, max: 7 }),
          fc.uuid(),
          async (orders, limit, scope) => {
            await commit(...orders.map((order, i) => put(note(`n${i}`, order), scope)));
            const seen: string[] = [];
            let after: PageKey | undefined;
            let inserted = 0;
            do {
              const page = await store.page(notes, scope, { index: 'all', equal: [], limit, after });
              seen.push(...page.documents.map(({ id }) => id));
              after = page.next ?? undefined;
              await commit(put(note(`new${inserted++}`, 100), scope));
            } while (after);
            const expected = orders
              .map((order, i) => ({ id: `n${i}`, order }))
              .sort((a, b) => b.order - a.order || (a.id < b.id ? 1 : -1));
            assert.deepEqual(
              seen,
              expected.map(({ id }) => id),
            );
          },
        ),
        { numRuns: 25 },
      ));

    const scanAll = async (collection = notes) => {
      const parts: (readonly Found<Note>[])[] = [];
      let after: DocumentKey | undefined;
      for (;;) {
        const part = await store.scan(collection, after);
        after = part.at(-1);
        if (!after) return parts;
        parts.push(part);
      }
    };

    it('scan an empty collection as empty', async () => {
      await commit(put(note('a', 1), 'one', letters));
      assert.deepEqual(await store.scan(notes), []);
      assert.deepEqual(await store.scan(notes, { scope: 'one', id: 'a' }), []);
    });

    it('scan the documents of all owners in order by scope and id, after any of them', async () => {
      const keys = ['a/1', 'a/2', 'a', 'a/1x', 'b', 'A'].flatMap((scope) =>
        ['2', '10', '', '1|a', '1', '~'].map((id) => ({ scope, id })),
      );
      await commit(...keys.map(({ scope, id }, i) => put(note(id, i), scope)));
      const sorted = keys
        .map(({ scope, id }, i) => ({ scope, id, document: note(id, i) }))
        .sort((a, b) => (a.scope === b.scope ? less(a.id, b.id) : less(a.scope, b.scope)));
      assert.deepEqual(await store.scan(notes), sorted);
      for (const [i, { scope, id }] of sorted.entries())
        assert.deepEqual(await store.scan(notes, { scope, id }), sorted.slice(i + 1), `${scope} ${id}`);
      assert.deepEqual(
        await store.scan(notes, { scope: 'a/1', id: '1{' }),
        sorted.filter(({ scope, id }) => scope > 'a/1' || (scope === 'a/1' && id > '1{')),
      );
    });

    it('scan in parts of at most a thousand, without gap or repetition', async () => {
      const all = Array.from({ length: 2345 }, (_, i) => put(note(`n${i}`, i), `scope${i % 7}`));
      await commit(...all);
      await commit({ collection: notes, scope: 'scope3', id: 'n3', document: null });
      const parts = await scanAll();
      assert.deepEqual(
        parts.map(({ length }) => length),
        [1000, 1000, 344],
      );
      assert.deepEqual(
        new Set(parts.flat().map(({ scope, id }) => `${scope} ${id}`)),
        new Set(all.map(({ scope, id }) => `${scope} ${id}`).filter((key) => key !== 'scope3 n3')),
      );
      for (const { scope, id, document } of parts.flat()) {
        assert.equal(document.id, id);
        assert.equal(scope, `scope${document.at % 7}`);
      }
    });

    it('scan no document twice, and miss none that stays, while others write', async () => {
      await commit(...Array.from({ length: 1500 }, (_, i) => put(note(`m${i}`, i))));
      const first = await store.scan(notes);
      await commit(put(note('a', 1)), put(note('z', 2)), put(note('m0', 9)), put(note('b', 1), 'two'));
      const seen = [...first, ...(await store.scan(notes, first.at(-1)))].map(({ id }) => id);
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual(
        seen.filter((id) => !id.startsWith('m')),
        ['z', 'b'],
      );
      assert.equal(seen.length, 1502);
    });

    it('reject an index that was not declared', () =>
      assert.rejects(store.page(notes, 'one', { index: 'byColour', equal: [], limit: 1 }), /byColour/));
  });
