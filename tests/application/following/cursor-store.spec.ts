import assert from 'node:assert/strict';
import { beginAt, type Cursor, finalizedAt, maxHeaders, withBlock } from '../../../application/following/cursor.js';
import {
  CursorConflict,
  createCursorStore,
  readReached,
} from '../../../application/following/progress/cursor-store.js';
import type { Header } from '../../../application/ports/chain.js';
import type { StateStore } from '../../../application/ports/state.js';
import { openStores } from '../../support/following/following.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';

const cursorOf = (headers: readonly Header[]): Cursor => ({
  chain: headers[0]?.hash ?? '',
  headers,
  positions: headers.map((_, i) => i),
  head: headers.at(-1) as Header,
});

/** Wraps a state store to count its writes and their bytes, and to fail all writes after the next `left` writes. */
const watched = (state: StateStore) => {
  const seen = { writes: 0, largest: 0, bytes: 0, left: Number.POSITIVE_INFINITY };
  const put: StateStore['put'] = async (bucket, id, value, expected) => {
    if (seen.left-- <= 0) throw new Error('the process is dead');
    seen.writes++;
    seen.bytes += value.length;
    seen.largest = Math.max(seen.largest, value.length);
    return state.put(bucket, id, value, expected);
  };
  return { seen, state: { ...state, put } };
};

describe('the stored cursor of a follower', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let name = 0;
  let variant = '';
  before(async () => {
    stores = await openStores();
  });
  beforeEach(() => {
    variant = `V${name++}`;
  });
  after(() => stores.close());

  it('is small and written only where it changed, even with thousands of headers that are not final', async () => {
    const { seen, state } = watched(stores.state);
    const headers = headersOf('a', 4502);
    const store = createCursorStore(state, variant);
    await store.read();
    const cursor = cursorOf(headers.slice(0, 4501));
    await store.save(cursor);
    Object.assign(seen, { writes: 0, largest: 0, bytes: 0 });
    await store.save(withBlock(cursor, headers[4501] as Header, 7));
    assert.equal(seen.writes, 2);
    assert.ok(seen.bytes < 2000, `${seen.bytes} bytes`);
    const again = await createCursorStore(stores.state, variant).read();
    assert.deepEqual(again?.headers, headers);
    assert.equal(again?.positions.at(-1), 7);
  });

  it('is unchanged when the process dies between two of its entries', async () => {
    const headers = headersOf('a', 20);
    const store = createCursorStore(stores.state, variant);
    await store.read();
    await store.save(cursorOf(headers.slice(0, 10)));
    for (const left of [0, 1, 5, 10]) {
      const { seen, state } = watched(stores.state);
      const dying = createCursorStore(state, variant);
      const from = (await dying.read()) as Cursor;
      seen.left = left;
      await assert.rejects(dying.save({ ...cursorOf(headers), positions: headers.map(() => 3) }), /dead/);
      assert.deepEqual((await createCursorStore(stores.state, variant).read())?.headers, from.headers);
    }
  });

  it('ends before a header that does not link to its parent, and reads that block again', async () => {
    const [ours, theirs] = [headersOf('a', 8), headersOf('b', 8)];
    const store = createCursorStore(stores.state, variant);
    await store.read();
    await store.save(cursorOf(ours));
    // A process that lost the race for the cursor may have written a header of another branch before it noticed.
    const entry = await stores.state.get('processes', `follow:${variant}:5`);
    const foreign = JSON.stringify({ chain: ours[0]?.hash, header: theirs[5], position: 1 });
    await stores.state.put('processes', `follow:${variant}:5`, foreign, entry?.revision ?? 0);
    assert.deepEqual((await createCursorStore(stores.state, variant).read())?.headers, ours.slice(0, 5));
  });

  it('is advanced by one process at a time', async () => {
    const headers = headersOf('a', 6);
    const [one, other] = [createCursorStore(stores.state, variant), createCursorStore(stores.state, variant)];
    await one.read();
    await one.save(cursorOf(headers.slice(0, 3)));
    await other.read();
    await one.save(cursorOf(headers.slice(0, 4)));
    await assert.rejects(other.save(cursorOf(headers.slice(0, 5))), CursorConflict);
    assert.equal((await readReached(stores.state, variant))?.tip.number, 3);
    await other.read();
    await other.save(cursorOf(headers));
    assert.deepEqual((await createCursorStore(stores.state, variant).read())?.headers, headers);
  });

  it('is read in the form of earlier versions, and stored in the new one', async () => {
    const old = cursorOf(headersOf('a', 40));
    await stores.state.put('processes', `follow:${variant}`, JSON.stringify(old), 0);
    assert.equal((await readReached(stores.state, variant))?.tip.number, 39);
    const store = createCursorStore(stores.state, variant);
    assert.deepEqual(await store.read(), old);
    await store.save(old);
    assert.ok(((await stores.state.get('processes', `follow:${variant}`))?.value.length ?? 0) < 1000);
    assert.deepEqual(await createCursorStore(stores.state, variant).read(), old);
  });

  it('never has more entries than a bounded number of headers', async () => {
    const headers = headersOf('a', maxHeaders + 2000);
    let cursor = cursorOf(headers.slice(0, 1));
    const store = createCursorStore(stores.state, variant);
    await store.read();
    for (let from = 1; from < headers.length; from += 1000) {
      for (const header of headers.slice(from, from + 1000)) cursor = withBlock(cursor, header, 0);
      cursor = finalizedAt(cursor, 0);
      await store.save(cursor);
    }
    assert.ok(cursor.headers.length < maxHeaders);
    assert.deepEqual((await createCursorStore(stores.state, variant).read())?.headers, cursor.headers);
    let entries = 0;
    for (let ids = await stores.state.ids('processes', `follow:${variant}`); ids.length > 0; ) {
      entries += ids.filter((id) => id.startsWith(`follow:${variant}:`)).length;
      ids = await stores.state.ids('processes', ids.at(-1) ?? '');
    }
    assert.ok(entries <= maxHeaders, `${entries} entries`);
  });

  it('requests the headers of a first cursor in parts', async () => {
    const headers = headersOf('a', 4501);
    let [atOnce, most] = [0, 0];
    const before = async () => {
      most = Math.max(most, ++atOnce);
      await new Promise(setImmediate);
      atOnce--;
    };
    const chain = headerChain({ headers, finalized: () => 0, before });
    const cursor = await beginAt(chain, headers[0] as Header, headers.at(-1) as Header, 0);
    assert.deepEqual(cursor.headers, headers);
    assert.ok(most <= 32, `${most} requests at once`);
  });
});
