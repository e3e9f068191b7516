import assert from 'node:assert/strict';
import { createAudit } from '../../../application/audit/audit.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { noEntry } from '../../../application/ports/state.js';
import { createPageTokens } from '../../../application/read-models/page-tokens.js';
import { firstLink, type Link, nextLink, type Seal, sealStatement } from '../../../domain/aggregates/audit.js';
import { sha256 } from '../../../infrastructure/system.js';
import { appendEvents, historyOf, manualSystem, notary, sealAll, sealOld } from '../../support/audit/sealed-history.js';
import { eventStores, states } from '../../support/engines/adapters.js';
import { usePlace } from '../../support/engines/places.js';

const organizationId = `org_${'a'.repeat(32)}`;
const other = `org_${'b'.repeat(32)}`;
const hourMs = 3_600_000;

describe('the history sealer', () => {
  const eventPlace = usePlace(eventStores.sqlite);
  const statePlace = usePlace(states.sqlite);
  let events: EventStore;
  let state: StateStore;
  beforeEach(async () => {
    events = await eventPlace.open();
    state = await statePlace.open();
  });
  const append = (count: number, from = 0, owner = organizationId) => appendEvents(events, owner, count, from);
  const seal = (...more: [ReturnType<typeof manualSystem>?, ((store: StateStore) => StateStore)?]) =>
    sealAll({ events, state }, ...more);
  const seals = async (owner = organizationId) =>
    (await historyOf(events, owner)).filter(({ type }) => type === 'AuditSealed').map(({ data }) => data as Seal);
  const counts = async (owner?: string) => (await seals(owner)).map(({ count }) => count);
  const audit = (over: EventStore = events) =>
    createAudit({
      events: over,
      stored: over,
      state,
      handle: createHandle(over, manualSystem()),
      notary,
      system: manualSystem(),
      pageTokens: createPageTokens(manualSystem()),
    });
  const isValid = async (owner = organizationId) => {
    const { flaw } = await audit().verify(owner);
    assert.equal(flaw, null, flaw?.reason);
  };
  const flawOf = async () => (await audit().verify(organizationId)).flaw ?? assert.fail('no flaw was found');

  it('seals and signs the history of each organization after enough events of its own', async () => {
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

  it('includes earlier seals in the next one, but does not count them as reasons to seal', async () => {
    await append(10);
    for (let n = 0; n < 30; n++) await seal();
    assert.deepEqual(await counts(), [10]);
    await append(10, 10);
    await seal();
    assert.deepEqual(await counts(), [10, 21]);
    await sealOld(
      { events, state },
      manualSystem(() => 2 * hourMs),
    );
    await seal();
    await sealOld(
      { events, state },
      manualSystem(() => 4 * hourMs),
    );
    assert.deepEqual(await counts(), [10, 21]);
    await isValid();
  });

  it('seals events that have waited for an hour, once', async () => {
    await append(3);
    await seal();
    await sealOld(
      { events, state },
      manualSystem(() => hourMs - 60_000),
    );
    assert.deepEqual(await counts(), []);
    for (let n = 0; n < 3; n++)
      await sealOld(
        { events, state },
        manualSystem(() => hourMs),
      );
    assert.deepEqual(await counts(), [3]);
    await isValid();
  });

  for (const lost of [1, 2, 3])
    it(`counts no event twice and writes no invalid seal after a crash following write ${lost} of its state`, async () => {
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

  it('keeps the history valid when three sealers run concurrently', async () => {
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

  it('seals the system streams, but does not count its own log as a reason to seal', async () => {
    await append(12);
    await append(3, 0, 'system');
    for (let n = 0; n < 3; n++) await seal();
    const old = manualSystem(() => 2 * hourMs);
    for (let n = 0; n < 4; n++) {
      await sealOld({ events, state }, old);
      await seal(old);
    }
    assert.deepEqual(await counts('system'), [4]);
    assert.deepEqual((await audit().sealedOrganizations()).toSorted(), [organizationId, 'system']);
    await isValid('system');
    const types = (await historyOf(events, 'system')).map(({ type }) => type);
    assert.equal(types.filter((type) => type === 'SealLogged').length, 2);
  });

  it('adopts the unsigned progress of an earlier version once, and rejects it afterwards', async () => {
    await append(12);
    const link = (await historyOf(events, organizationId)).reduce<Link>(
      (before, event) => nextLink(before, event, sha256),
      firstLink(organizationId, sha256),
    );
    const old = JSON.stringify({ ...link, position: 12, eventId: null, unsealed: 12, since: 1, missed: null });
    const id = `audit-chain:${organizationId}`;
    await state.put('processes', id, old, noEntry);
    await isValid();
    await append(1, 12);
    for (let n = 0; n < 3; n++) await seal();
    assert.equal((await counts())[0], 13);
    await isValid();
    const { revision = 0 } = (await state.get('processes', id)) ?? {};
    await state.put('processes', id, old, revision);
    assert.deepEqual([(await flawOf()).about, (await flawOf()).reason], ["the sealer's progress", 'not signed']);
    await append(30, 20);
    await seal();
    assert.equal((await counts()).length, 1);
  });
});
