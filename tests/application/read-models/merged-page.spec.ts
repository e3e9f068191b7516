import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PageKey, ReadModels } from '../../../application/ports/read-models.js';
import { mergedList, takePage } from '../../../application/read-models/merged-page.js';
import type { Collection } from '../../../projections/define.js';
import { readModels } from '../../support/engines/adapters.js';
import { usePlace } from '../../support/engines/places.js';

type Note = { id: string; from: string; to: string; at: number; moment: string; kind: 'take' | 'skip' };
const notes: Collection<Note> = {
  name: 'notes',
  version: 1,
  indexes: {
    byFrom: { equal: ['from'], order: 'at' },
    byTo: { equal: ['to'], order: 'at' },
    fromByMoment: { equal: ['from'], order: 'moment' },
    toByMoment: { equal: ['to'], order: 'moment' },
  },
};
/** Indexes by number and by text, which have the same order. */
const orders = {
  number: { from: 'byFrom', to: 'byTo', keyOf: ({ at, id }: Note): PageKey => [at, id] },
  text: { from: 'fromByMoment', to: 'toByMoment', keyOf: ({ moment, id }: Note): PageKey => [moment, id] },
};
const newestFirst = (a: Note, b: Note) => b.at - a.at || (a.id < b.id ? 1 : -1);

const names = ['ann', 'bob', 'cat'];
const name = fc.constantFrom(...names);
const drafts = (maxLength: number) =>
  fc.array(
    fc.record({
      from: name,
      to: name,
      at: fc.nat(60),
      kind: fc.constantFrom('take' as const, 'take' as const, 'skip' as const),
    }),
    { maxLength, size: 'max' },
  );
const sources = fc.uniqueArray(fc.record({ field: fc.constantFrom('from' as const, 'to' as const), name }), {
  minLength: 1,
  maxLength: 4,
  selector: ({ field, name }) => `${field} ${name}`,
});

describe('the list merged from several indexes', () => {
  const { open } = usePlace(() => readModels.sqlite([notes]));
  let store: ReadModels;
  let scopes = 0;
  beforeEach(async () => {
    store = await open();
  });

  const write = async (written: readonly { scope: string; document: Note }[]) => {
    const from = await store.checkpoint();
    const changes = written.map(({ scope, document }) => ({ collection: notes, scope, id: document.id, document }));
    assert.ok(await store.commit(changes, from, {}));
  };
  /** Writes the notes to a new scope, and some of the notes to another scope, which must not be listed. */
  const fill = async (given: readonly Omit<Note, 'id' | 'moment'>[]) => {
    const scope = `scope${scopes++}`;
    const documents = given.map((one, i) => ({ ...one, id: `n${i}`, moment: String(one.at).padStart(3, '0') }));
    await write(documents.map((document) => ({ scope, document })));
    await write(documents.slice(0, 3).map((document) => ({ scope: `${scope}x`, document: { ...document, id: 'x' } })));
    return { scope, documents };
  };
  const pagesOf = async (
    make: (after: PageKey | undefined) => AsyncIterable<Note>,
    size: number,
    keyOf: (one: Note) => PageKey,
  ) => {
    const pages: string[][] = [];
    let after: PageKey | undefined;
    do {
      const { documents, next } = await takePage(make(after), size, keyOf);
      pages.push(documents.map(({ id }) => id));
      after = next ?? undefined;
    } while (after);
    return pages;
  };

  const holds = (maxLength: number, sizes: fc.Arbitrary<number>, numRuns: number) =>
    fc.assert(
      fc.asyncProperty(
        drafts(maxLength),
        sources,
        sizes,
        fc.option(fc.nat(60), { nil: -1 }),
        fc.constantFrom(...Object.values(orders)),
        async (given, wanted, size, oldest, { keyOf, ...index }) => {
          const { scope, documents } = await fill(given);
          const list = (after: PageKey | undefined) =>
            mergedList(store, {
              collection: notes,
              inTurn: (read) => read(),
              caller: {},
              scope,
              sources: wanted.map(({ field, name }) => ({ index: index[field], equal: [name] })),
              after,
              keyOf,
              choose: async (found) => found.map(({ at, kind }) => (at < oldest ? 'stop' : kind)),
            });
          const expected = documents
            .filter((one) => wanted.some(({ field, name }) => one[field] === name))
            .filter(({ at, kind }) => kind === 'take' && at >= oldest)
            .sort(newestFirst)
            .map(({ id }) => id);
          const pages = await pagesOf(list, size, keyOf);
          assert.deepEqual(pages.flat(), expected);
          const full = Math.max(1, Math.ceil(expected.length / size));
          assert.deepEqual(
            pages.map(({ length }) => length),
            Array.from({ length: full }, (_, i) => Math.min(size, expected.length - i * size)),
          );
        },
      ),
      { numRuns },
    );

  it('is sorted, filtered and without repetition, in pages of any size', () =>
    holds(40, fc.integer({ min: 1, max: 12 }), 60));
  it('is sorted, filtered and without repetition when the indexes are read in many parts', () =>
    holds(700, fc.integer({ min: 1, max: 250 }), 25));

  it('is read no further than the page needs', async () => {
    const { scope } = await fill(
      Array.from({ length: 450 }, (_, i) => ({ from: 'ann', to: 'ann', at: i, kind: 'take' })),
    );
    let looked = 0;
    const list = mergedList(store, {
      collection: notes,
      inTurn: (read) => read(),
      caller: {},
      scope,
      sources: [
        { index: 'byFrom', equal: ['ann'] },
        { index: 'byTo', equal: ['ann'] },
      ],
      after: undefined,
      keyOf: orders.number.keyOf,
      choose: async (found) => {
        looked += found.length;
        return found.map(() => 'take');
      },
    });
    const { documents, next } = await takePage(list, 10, orders.number.keyOf);
    assert.deepEqual(
      documents.map(({ at }) => at),
      Array.from({ length: 10 }, (_, i) => 449 - i),
    );
    assert.deepEqual(next, [440, 'n440']);
    assert.equal(looked, 100);
  });

  it('continues from its page token while newer documents are inserted', async () => {
    const { scope, documents } = await fill(
      Array.from({ length: 250 }, (_, i) => ({ from: names[i % 2] as string, to: 'ann', at: i, kind: 'take' })),
    );
    let inserted = 0;
    const list = async function* (after: PageKey | undefined) {
      const document = {
        id: `new${inserted}`,
        from: 'ann',
        to: 'ann',
        at: 1000 + inserted,
        moment: '',
        kind: 'take',
      } as const;
      if (after) await write([{ scope, document }]);
      inserted++;
      const wanted = [
        { index: 'byFrom', equal: ['ann'] },
        { index: 'byTo', equal: ['ann'] },
      ];
      const choose = async (found: readonly Note[]) => found.map(() => 'take' as const);
      yield* mergedList(store, {
        collection: notes,
        inTurn: (read) => read(),
        caller: {},
        scope,
        sources: wanted,
        after,
        keyOf: orders.number.keyOf,
        choose,
      });
    };
    const pages = await pagesOf(list, 60, orders.number.keyOf);
    assert.equal(inserted, 5);
    assert.deepEqual(
      pages.flat(),
      documents.toSorted(newestFirst).map(({ id }) => id),
    );
  });
});
