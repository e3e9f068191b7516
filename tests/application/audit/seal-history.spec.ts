import assert from 'node:assert/strict';
import { createAudit } from '../../../application/audit/audit.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { createPageTokens } from '../../../application/read-models/paging.js';
import { type Seal, sealStatement } from '../../../domain/audit.js';
import { eventStores, states } from '../../support/adapters.js';
import { usePlace } from '../../support/places.js';
import { appendEvents, handSystem, historyOf, notary, sealAll, sealOld } from '../../support/sealed-history.js';

const organizationId = `org_${'a'.repeat(32)}`;
const other = `org_${'b'.repeat(32)}`;
const hourMs = 3_600_000;

describe('sealing history', () => {
  const eventPlace = usePlace(eventStores.sqlite);
  const statePlace = usePlace(states.sqlite);
  let events: EventStore;
  let state: StateStore;
  beforeEach(async () => {
    events = await eventPlace.open();
    state = await statePlace.open();
  });
  const replacements: EventStore[] = [];
  afterEach(() => Promise.all(replacements.splice(0).map((one) => one.close())));
  const append = (count: number, from = 0, owner = organizationId) => appendEvents(events, owner, count, from);
  const seal = (...more: [ReturnType<typeof handSystem>?, ((store: StateStore) => StateStore)?]) =>
    sealAll({ events, state }, ...more);
  const seals = async (owner = organizationId) =>
    (await historyOf(events, owner)).filter(({ type }) => type === 'AuditSealed').map(({ data }) => data as Seal);
  const counts = async (owner?: string) => (await seals(owner)).map(({ count }) => count);
  const audit = (over: EventStore = events) =>
    createAudit({
      events: over,
      stored: over,
      state,
      notary,
      system: handSystem(),
      pageTokens: createPageTokens(handSystem()),
    });
  const isValid = async (owner = organizationId) => {
    const { flaw } = await audit().verify(owner);
    assert.equal(flaw, null, flaw?.reason);
  };
  const flawOf = async () => (await audit().verify(organizationId)).flaw ?? assert.fail('nothing was found');

  it('seals when enough has happened, each organization for itself, and signs it', async () => {
    await append(9);
    await append(12, 0, other);
    await seal();
    assert.deepEqual([await counts(), await counts(other)], [[], [12]]);
    await append(1, 9);
    await seal();
    const [found] = await seals();
    assert.equal(found?.count, 10);
    assert.equal(found.keyId, notary.keyId);
    assert.ok(notary.isSigned(notary.publicKey, sealStatement(found), found.signature));
    assert.equal(found.position, (await historyOf(events, organizationId))[9]?.position);
    await isValid();
    await isValid(other);
  });

  it('goes on over its own seals, but does not seal because of them', async () => {
    await append(10);
    for (let n = 0; n < 30; n++) await seal();
    assert.deepEqual(await counts(), [10]);
    await append(10, 10);
    await seal();
    assert.deepEqual(await counts(), [10, 21]);
    await sealOld(
      { events, state },
      handSystem(() => 2 * hourMs),
    );
    await seal();
    await sealOld(
      { events, state },
      handSystem(() => 4 * hourMs),
    );
    assert.deepEqual(await counts(), [10, 21]);
    await isValid();
  });

  it('seals what has waited for an hour, once', async () => {
    await append(3);
    await seal();
    await sealOld(
      { events, state },
      handSystem(() => hourMs - 60_000),
    );
    assert.deepEqual(await counts(), []);
    for (let n = 0; n < 3; n++)
      await sealOld(
        { events, state },
        handSystem(() => hourMs),
      );
    assert.deepEqual(await counts(), [3]);
    await isValid();
  });

  for (const lost of [1, 2, 3])
    it(`counts nothing twice and seals nothing false when write ${lost} of its memory was the last before a crash`, async () => {
      await append(25);
      let written = 0;
      const dying = (store: StateStore): StateStore => ({
        ...store,
        put: async (...args) => {
          if (++written > lost) throw new Error('crashed');
          return store.put(...args);
        },
      });
      await seal(undefined, dying).catch((error: Error) => assert.equal(error.message, 'crashed'));
      await append(5, 25);
      for (let n = 0; n < 3; n++) await seal();
      await isValid();
      const { events: all } = await audit().verify(organizationId);
      assert.equal(all, (await historyOf(events, organizationId)).length);
      assert.ok((await counts()).length >= 1);
    });

  it('does no harm when several do it at once', async () => {
    for (let round = 0; round < 5; round++) {
      await append(17, 17 * round);
      await append(4, 4 * round, other);
      await Promise.all([seal(), seal(), seal()]);
    }
    await seal();
    await isValid();
    await isValid(other);
    assert.ok((await counts()).length >= 5);
  });

  /** The store as it would be if somebody had taken away its end. */
  const cutAfter = (count: number): Promise<EventStore> => rewritten((history) => history.slice(0, count));
  const rewritten = async (change: (history: Awaited<ReturnType<typeof historyOf>>) => typeof history) => {
    const history = change(await historyOf(events, organizationId));
    const fresh = await (await eventStores.sqlite()).open();
    for (const { stream, id, type, data, metadata } of history) {
      const { revision } = await fresh.read(stream);
      await fresh.append([{ stream, expected: revision, events: [{ id, type, data, metadata }] }]);
    }
    const closing = events;
    events = fresh;
    await eventPlace.close(closing);
    replacements.push(fresh);
    return fresh;
  };

  it('keeps knowing of a tail that was cut, also when history goes on and is sealed anew', async () => {
    await append(30);
    await seal();
    await seal();
    await cutAfter(20);
    assert.match((await flawOf()).reason, /there were 11 more when the sealing process went over 31 events/);
    await append(25, 100);
    for (let n = 0; n < 3; n++) await seal();
    const flaw = await flawOf();
    assert.ok(flaw.event <= 21 && flaw.last === 31, JSON.stringify(flaw));
    assert.match(flaw.reason, /once went over 31 events/);
    assert.ok((await counts()).length >= 1);
  });

  it('finds a history that moved to other positions as it was', async () => {
    await append(30);
    await seal();
    await append(3, 30);
    await seal();
    const before = await historyOf(events, organizationId);
    await appendEvents(await cutAfter(0), other, 50);
    const moved = events;
    for (const { stream, id, type, data, metadata } of before) {
      const { revision } = await moved.read(stream);
      await moved.append([{ stream, expected: revision, events: [{ id, type, data, metadata }] }]);
    }
    await append(30, 100);
    for (let n = 0; n < 3; n++) await seal();
    await isValid();
    assert.ok((await counts()).length >= 2);
  });
});
