import assert from 'node:assert/strict';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { openNotary } from '../../../infrastructure/keys/audit-key.js';
import { givenKeyRing } from '../../../infrastructure/keys/master-key.js';
import { serviceKey, stateVault } from '../../../infrastructure/keys/vault.js';
import { appendEvents } from '../../support/audit/sealed-history.js';
import { eventStores, states } from '../../support/engines/adapters.js';
import { type Place, usePlace } from '../../support/engines/places.js';

const master = new Uint8Array(32).fill(3);
const ring = givenKeyRing(master, undefined);

for (const engine of ['sqlite', 'mongodb'] as const)
  describe(`the audit key in a vault on ${engine}`, () => {
    const eventPlace = usePlace(eventStores.sqlite);
    const statePlace = usePlace<Place<StateStore>>(states[engine]);
    let stores: { events: EventStore; state: StateStore };
    beforeEach(async () => {
      stores = { events: await eventPlace.open(), state: await statePlace.open() };
    });

    const open = () => openNotary(stores, ring);
    const keyIds = () => stores.state.ids('vault', '');

    it('is created once, also by processes that start together, and without the mark', async () => {
      const opened = await Promise.all(Array.from({ length: 8 }, open));
      assert.equal(new Set(opened.map(({ publicKey }) => publicKey)).size, 1);
      assert.deepEqual(
        await Promise.all(opened.map(({ logMark }) => logMark.isSet())),
        opened.map(() => false),
      );
    });

    it('stays the same when it is marked, which every process sees', async () => {
      const [one, two] = [await open(), await open()];
      await Promise.all([one.logMark.set(), two.logMark.set()]);
      await one.logMark.set();
      const later = await open();
      assert.equal(later.publicKey, one.publicKey);
      for (const { logMark } of [one, two, later]) assert.ok(await logMark.isSet());
      assert.deepEqual(await keyIds(), ['audit-signing:logged']);
    });

    it('keeps its mark after an interruption before the unmarked copy was destroyed', async () => {
      const { publicKey, logMark } = await open();
      const destroy = async () => assert.fail('killed');
      const killed = await openNotary({ ...stores, state: { ...stores.state, destroy } }, ring);
      await assert.rejects(killed.logMark.set(), /killed/);
      assert.equal((await keyIds()).length, 2);
      const next = await open();
      assert.equal(next.publicKey, publicKey);
      assert.ok((await next.logMark.isSet()) && (await logMark.isSet()));
      await next.logMark.set();
      assert.deepEqual(await keyIds(), ['audit-signing:logged']);
    });

    it('is opened by a process that searched for it while another process marked it', async () => {
      const first = await open();
      const get: StateStore['get'] = async (bucket, id) => {
        const entry = await stores.state.get(bucket, id);
        if (id === 'audit-signing:logged' && entry === null) await first.logMark.set();
        return entry;
      };
      const second = await openNotary({ ...stores, state: { ...stores.state, get } }, ring);
      assert.equal(second.publicKey, first.publicKey);
    });

    it('keeps its mark when the master key is rotated', async () => {
      const { publicKey, logMark } = await open();
      await logMark.set();
      const next = new Uint8Array(32).fill(4);
      assert.equal(await stateVault(stores.state, givenKeyRing(next, master)).changeMasterKey(), 1);
      const rotated = await openNotary(stores, givenKeyRing(next, undefined));
      assert.equal(rotated.publicKey, publicKey);
      assert.ok(await rotated.logMark.isSet());
    });

    it('cannot be unmarked by storing the marked entry under the other id', async () => {
      await (await open()).logMark.set();
      const marked = await stores.state.get('vault', 'audit-signing:logged');
      await stores.state.destroy('vault', 'audit-signing:logged');
      await stores.state.put('vault', 'audit-signing', marked?.value ?? '', 0);
      await assert.rejects(open());
    });

    it('is created with the mark beside other keys or events, from which the earlier key was removed', async () => {
      await serviceKey(stores.state, ring);
      assert.ok(await (await open()).logMark.isSet());
      for (const id of await keyIds()) await stores.state.destroy('vault', id);
      await appendEvents(stores.events, 'org_a', 1);
      assert.ok(await (await open()).logMark.isSet());
    });
  });
