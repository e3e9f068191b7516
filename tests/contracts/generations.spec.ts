import assert from 'node:assert/strict';
import { type Generation, maxHoldMs, type RebuildableReadModels } from '../../application/ports/generations.js';
import type { Collection } from '../../projections/define.js';
import { rebuildableReadModels } from '../support/engines/adapters.js';
import { type Place, usePlace } from '../support/engines/places.js';
import { eventually } from '../support/eventually.js';

type Note = { id: string; owner: string; at: number };
const notes: Collection<Note> = {
  name: 'notes',
  version: 2,
  indexes: { all: { equal: [], order: 'at' }, byOwner: { equal: ['owner'], order: 'at' } },
};
const letters: Collection<Note> = { ...notes, name: 'letters' };
/** Declaration of the collection `notes` in an older release. */
const oldNotes: Collection<Note> = { ...notes, version: 1, indexes: { all: { equal: [], order: 'at' } } };

const put = (id: string, at: number, collection = notes) => ({
  collection,
  scope: 'one',
  id,
  document: { id, at, owner: 'ann' },
});
const key = (id: string) => ({ scope: 'one', id });

for (const [adapter, place] of Object.entries(rebuildableReadModels))
  describe(`the generations of read models on ${adapter}`, () => {
    let declared: readonly Collection<Note>[] = [];
    const { open } = usePlace<Place<RebuildableReadModels>>(async () => {
      const { open: openAs, ...rest } = await place([]);
      return { ...rest, open: () => openAs(declared) };
    });
    let store: RebuildableReadModels;
    beforeEach(async () => {
      declared = [notes, letters];
    });
    const openNew = async () => {
      store = await open();
      return store;
    };
    const commit = async (position: number, ...changes: Parameters<RebuildableReadModels['commit']>[0]) => {
      const from = await store.checkpoint();
      const positions = { ...from.positions, notes: position, letters: position };
      assert.equal(await store.commit(changes, from, positions), true);
    };
    const build = (from: number, to: number, ...changes: Parameters<RebuildableReadModels['commit']>[0]) =>
      store.generations.build(changes, { notes: from }, { notes: to });
    const found = async (state: Generation['state'], of = 'notes') =>
      (await store.generations.listGenerations()).find((one) => one.collection === of && one.state === state);
    const atOf = async (id: string, from = store) => (await from.get(notes, key(id)))?.at ?? null;
    const listed = async (from = store) =>
      (await from.page(notes, 'one', { index: 'all', equal: [], limit: 9 })).documents.map(({ id }) => id);

    it('start with one live generation per collection', async () => {
      await openNew();
      assert.deepEqual(
        (await store.generations.listGenerations())
          .map(({ collection, number, version, state }) => ({ collection, number, version, state }))
          .sort((a, b) => a.collection.localeCompare(b.collection)),
        [
          { collection: 'letters', number: 1, version: 2, state: 'live' },
          { collection: 'notes', number: 1, version: 2, state: 'live' },
        ],
      );
    });

    it('are built next to the live one, which readers see until the swap and never after it', async () => {
      await openNew();
      const other = await open();
      await commit(5, put('a', 1), put('b', 2));
      await store.generations.begin([notes]);
      assert.deepEqual(await found('building'), {
        collection: 'notes',
        number: 2,
        version: 2,
        state: 'building',
        position: 0,
      });
      assert.equal(await build(0, 6, put('a', 10), put('c', 30)), true);
      assert.deepEqual([await atOf('a'), await atOf('c'), await listed(other)], [1, null, ['b', 'a']]);
      assert.deepEqual(await store.generations.built.getMany(notes, [key('c'), key('b')]), [
        { id: 'c', at: 30, owner: 'ann' },
        null,
      ]);
      assert.equal((await found('building'))?.position, 6);
      await store.generations.makeReady([notes]);
      const before = await store.checkpoint();
      assert.equal(await store.generations.swap([notes]), true);
      for (const reader of [store, other]) {
        assert.deepEqual(await listed(reader), ['c', 'a']);
        assert.equal(await atOf('a', reader), 10);
        assert.equal(await atOf('b', reader), null);
      }
      assert.deepEqual((await store.checkpoint()).positions, { notes: 6, letters: 5 });
      assert.equal(await store.commit([put('z', 1)], before, before.positions), false);
      assert.equal((await found('live'))?.number, 2);
      assert.equal(await found('building'), undefined);
    });

    it('are written by every process only where they are live after the swap', async () => {
      await openNew();
      const other = await open();
      await commit(1, put('a', 1));
      await store.generations.begin([notes]);
      await build(0, 1, put('a', 1));
      await store.generations.makeReady([notes]);
      await other.generations.swap([notes]);
      await commit(2, put('b', 2));
      await store.generations.removeRetired();
      assert.deepEqual(
        [await listed(), await listed(other)],
        [
          ['b', 'a'],
          ['b', 'a'],
        ],
      );
    });

    it('accept the writes of one of two builders, and none of the late one', async () => {
      await openNew();
      await store.generations.begin([notes]);
      assert.equal(await build(0, 3, put('a', 1)), true);
      assert.equal(await build(0, 4, put('a', 9), put('x', 9)), false);
      assert.equal(await build(2, 4, put('a', 9)), false);
      assert.deepEqual(await store.generations.built.getMany(notes, [key('a'), key('x')]), [
        { id: 'a', at: 1, owner: 'ann' },
        null,
      ]);
      assert.equal((await found('building'))?.position, 3);
    });

    it('advance together when several are built at once, or not at all', async () => {
      await openNew();
      await store.generations.begin([notes, letters]);
      assert.equal(await build(0, 3, put('a', 1)), true);
      const { generations } = store;
      assert.equal(await generations.build([put('b', 1)], { notes: 0, letters: 0 }, { notes: 7, letters: 7 }), false);
      assert.equal((await found('building', 'letters'))?.position, 0);
      assert.equal(
        await generations.build([put('b', 1, letters)], { notes: 3, letters: 0 }, { notes: 7, letters: 7 }),
        true,
      );
      await generations.makeReady([notes, letters]);
      assert.equal(await generations.swap([notes, letters]), true);
      assert.deepEqual((await store.checkpoint()).positions, { notes: 7, letters: 7 });
      assert.deepEqual(await store.get(letters, key('b')), { id: 'b', at: 1, owner: 'ann' });
    });

    it('are not swapped in while they lag the live one, or were never started', async () => {
      await openNew();
      await commit(5, put('a', 1));
      assert.equal(await store.generations.swap([notes]), false);
      await store.generations.begin([notes]);
      await build(0, 4, put('a', 7));
      await store.generations.makeReady([notes]);
      assert.equal(await store.generations.swap([notes]), false);
      assert.equal(await atOf('a'), 1);
      await build(4, 5);
      assert.equal(await store.generations.swap([notes]), true);
      assert.equal(await atOf('a'), 7);
    });

    it('are swapped in at the end of the events even if the live one is beyond it', async () => {
      await openNew();
      await commit(9, put('a', 1));
      await store.generations.begin([notes]);
      await build(0, 4, put('a', 7));
      await store.generations.makeReady([notes]);
      assert.equal(await store.generations.swap([notes], 5), false);
      await build(4, 5);
      assert.equal(await store.generations.swap([notes]), false);
      assert.equal(await store.generations.swap([notes], 5), true);
      assert.deepEqual([await atOf('a'), (await store.checkpoint()).positions.notes], [7, 5]);
    });

    it('reject writes to the live one while it is held for a swap, until the swap or the end of the hold', async () => {
      await openNew();
      await commit(5, put('a', 1));
      const before = await store.checkpoint();
      await store.generations.hold(maxHoldMs);
      assert.equal(await store.commit([put('a', 9)], before, { notes: 6 }), false);
      // Renews the hold, which expires after a few seconds.
      await store.generations.hold(maxHoldMs);
      assert.equal(await store.commit([put('a', 9)], await store.checkpoint(), { notes: 6 }), false);
      assert.deepEqual([await atOf('a'), (await store.checkpoint()).positions.notes], [1, 5]);
      await store.generations.begin([notes]);
      await build(0, 5, put('a', 2));
      await store.generations.makeReady([notes]);
      assert.equal(await store.generations.swap([notes]), true);
      await commit(6, put('b', 3));
      await store.generations.hold(1);
      await eventually(() => commit(7, put('c', 4)));
      assert.deepEqual(await listed(), ['c', 'b', 'a']);
    });

    it('resume after a restart, and start over once they are abandoned', async () => {
      await openNew();
      await store.generations.begin([notes]);
      await build(0, 4, put('a', 7));
      store = await open();
      await store.generations.begin([notes]);
      assert.deepEqual([(await found('building'))?.number, (await found('building'))?.position], [2, 4]);
      await store.generations.abandon([notes]);
      assert.equal(await found('building'), undefined);
      assert.equal(await build(4, 5, put('a', 8)), false);
      await store.generations.begin([notes]);
      assert.equal((await found('building'))?.position, 0);
      assert.deepEqual(await store.generations.built.scan(notes), []);
    });

    describe('written by an older release', () => {
      beforeEach(async () => {
        declared = [oldNotes, letters];
        await openNew();
        await commit(5, put('a', 1, oldNotes), put('b', 2, oldNotes));
        declared = [notes, letters];
        await openNew();
      });
      it('are served and updated until a new generation is swapped in', async () => {
        await commit(6, put('c', 3));
        assert.deepEqual([await listed(), (await found('live'))?.version], [['c', 'b', 'a'], 1]);
        const owned = () => store.page(notes, 'one', { index: 'byOwner', equal: ['ann'], limit: 9 });
        await assert.rejects(owned(), { code: 'UNAVAILABLE', message: /being rebuilt/ });
        await store.generations.begin([notes]);
        await build(0, 6, put('a', 1), put('b', 2), put('c', 3));
        await store.generations.makeReady([notes]);
        assert.equal(await store.generations.swap([notes]), true);
        assert.equal((await owned()).documents.length, 3);
        assert.equal((await found('live'))?.version, 2);
      });
      it('are no longer written by the older release once the newer one has taken over', async () => {
        await store.generations.begin([notes]);
        await build(0, 5, put('a', 1));
        await store.generations.makeReady([notes]);
        await store.generations.swap([notes]);
        declared = [oldNotes, letters];
        await openNew();
        const from = await store.checkpoint();
        await assert.rejects(store.commit([], from, { ...from.positions, notes: 99 }));
        assert.deepEqual((await store.checkpoint()).positions, from.positions);
      });
    });
  });
