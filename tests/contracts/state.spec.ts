import assert from 'node:assert/strict';
import { noEntry, type StateStore } from '../../application/ports/state.js';
import { states } from '../support/engines/adapters.js';
import { usePlace } from '../support/engines/places.js';

for (const [adapter, place] of Object.entries(states))
  describe(`the state store on ${adapter}`, () => {
    const { open, close } = usePlace(place);
    let store: StateStore;
    let other: StateStore;
    beforeEach(async () => {
      [store, other] = await Promise.all([open(), open()]);
    });

    it('is empty at first', async () => assert.equal(await store.get('vault', 'a'), null));

    it('shows an entry of a bucket to every process', async () => {
      assert.equal(await store.put('vault', 'a', 'one', noEntry), true);
      assert.equal(await store.put('processes', 'a', 'two', noEntry), true);
      assert.equal((await other.get('vault', 'a'))?.value, 'one');
      assert.equal((await other.get('processes', 'a'))?.value, 'two');
    });

    it('replaces an entry only at the revision that was read', async () => {
      await store.put('processes', 'cursor', '1', noEntry);
      const read = await store.get('processes', 'cursor');
      assert.ok(read);
      assert.equal(await store.put('processes', 'cursor', '2', read.revision), true);
      assert.equal(await other.put('processes', 'cursor', '3', read.revision), false);
      assert.equal(await other.put('processes', 'cursor', '3', noEntry), false);
      assert.equal((await store.get('processes', 'cursor'))?.value, '2');
    });

    it('lets exactly one of many racing processes create an entry', async () => {
      const race = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).put('vault', 'key', String(n), noEntry)),
      );
      assert.equal(race.filter(Boolean).length, 1);
      assert.equal((await store.get('vault', 'key'))?.value, String(race.indexOf(true)));
    });

    it('forgets a destroyed entry, which can be created again', async () => {
      await store.put('vault', 'a', 'one', noEntry);
      await other.destroy('vault', 'a');
      await other.destroy('vault', 'a');
      assert.equal(await store.get('vault', 'a'), null);
      assert.equal(await store.put('vault', 'a', 'two', noEntry), true);
    });

    it('lists the ids of a bucket that follow a given text, in order', async () => {
      assert.deepEqual(await store.ids('vault', ''), []);
      for (const id of ['b', 'a:10', 'a:2', 'B', 'a', '~']) await store.put('vault', id, 'x', noEntry);
      await store.put('processes', 'a1', 'x', noEntry);
      assert.deepEqual(await other.ids('vault', ''), ['B', 'a', 'a:10', 'a:2', 'b', '~']);
      assert.deepEqual(await other.ids('vault', 'a:10'), ['a:2', 'b', '~']);
      assert.deepEqual(await other.ids('vault', 'a:1'), ['a:10', 'a:2', 'b', '~']);
      assert.deepEqual(await other.ids('vault', '~'), []);
      assert.deepEqual(await other.ids('processes', ''), ['a1']);
      await store.destroy('vault', 'a');
      assert.deepEqual(await other.ids('vault', 'B'), ['a:10', 'a:2', 'b', '~']);
    });

    it('lists more than a thousand ids in parts, each once', async () => {
      const all = Array.from({ length: 1205 }, (_, i) => `key:${String(i).padStart(4, '0')}`);
      for (let i = 0; i < all.length; i += 50)
        await Promise.all(all.slice(i, i + 50).map((id) => store.put('vault', id, id, noEntry)));
      const found: string[] = [];
      for (
        let part = await store.ids('vault', '');
        part.length > 0;
        part = await store.ids('vault', part.at(-1) ?? '')
      ) {
        assert.ok(part.length <= 1000);
        found.push(...part);
      }
      assert.deepEqual(found, all);
    });

    it('has all entries after it is reopened', async () => {
      await store.put('vault', 'a', 'one', noEntry);
      await close(store);
      store = await open();
      assert.equal((await store.get('vault', 'a'))?.value, 'one');
    });
  });
