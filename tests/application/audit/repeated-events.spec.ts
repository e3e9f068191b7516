import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createAudit } from '../../../application/audit/audit.js';
import { firstRepeat } from '../../../application/audit/repeated-events.js';
import { authenticatedAppends } from '../../../application/commands/authenticated-appends.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { EventStore, Recorded } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { createPageTokens } from '../../../application/read-models/page-tokens.js';
import { aggregates } from '../../../domain/aggregates.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { appendEvents, historyOf, manualSystem, notary, sealAll } from '../../support/audit/sealed-history.js';
import { eventStores, states } from '../../support/engines/adapters.js';
import { type Place, usePlace } from '../../support/engines/places.js';
import { freshNamespace, given } from '../../support/run/servers.js';

const organizationId = `org_${'a'.repeat(32)}`;
const operator = { actor: { kind: 'operator', id: 'op' }, requestId: 'test' } as const;

describe('the search for repeated events', () => {
  const historyWith = (keys: readonly number[]): readonly Recorded[] =>
    keys.map((key, n) => ({
      stream: `org_a.thing-${key % 2}`,
      id: `${key}`,
      type: 'Thing',
      data: {},
      metadata: {} as Recorded['metadata'],
      position: n + 1,
      time: 0,
      bytes: 0,
    }));
  const readIn = (history: readonly Recorded[]) =>
    async function* () {
      for (let at = 0; at < history.length; at += 7) yield history.slice(at, at + 7);
    };

  it('names the first repetition behind the accepted events, whatever the size of the slices', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(60), { maxLength: 30 }),
        fc.nat(10),
        fc.constantFrom(3, 8, 100),
        async (keys, accepted, atOnce) => {
          const expected = keys.findIndex((key, n) => n >= accepted && keys.indexOf(key) < n);
          const found = await firstRepeat(readIn(historyWith(keys)), { count: keys.length, accepted }, atOnce);
          assert.equal(found?.event ?? 0, expected + 1);
          if (found)
            assert.match(found.reason, new RegExp(`as event ${keys.indexOf(keys[expected] as number) + 1} too$`));
        },
      ),
    ));

  it('takes no event of another stream for a repetition, and reads no event behind the last that counts', async () => {
    const [one, two] = historyWith([1, 1]) as [Recorded, Recorded];
    const search = (history: readonly Recorded[], count: number) =>
      firstRepeat(readIn(history), { count, accepted: 0 });
    assert.equal(await search([one, { ...two, stream: 'org_a.thing-7' }], 2), null);
    assert.equal(await search([one, two], 1), null);
    assert.equal((await search([one, two], 2))?.event, 2);
  });
});

/** Streams of the tests, and those of the service itself. */
const categories = ['thing', ...aggregates];
/** Imports the double only when it is used, because its protobuf messages clash with those of the KurrentDB client. */
const eventStoreDbPlace = async (): Promise<Place<EventStore>> => {
  const { startEventStoreDouble } = await import('../../support/eventstoredb-double/server.js');
  const double = await startEventStoreDouble();
  return { open: () => eventStoreDb(double.url, categories), end: double.close };
};
const server = given.eventStore;
const places: Readonly<Record<string, () => Promise<Place<EventStore>>>> = {
  sqlite: eventStores.sqlite,
  'eventstoredb over its wire': eventStoreDbPlace,
  ...(server && { eventstoredb: async () => ({ open: () => eventStoreDb(server, categories, freshNamespace()) }) }),
};

for (const [adapter, place] of Object.entries(places))
  describe(`a copy of a genuine event in its own stream on ${adapter}`, () => {
    const eventPlace = usePlace(place);
    const statePlace = usePlace(states.sqlite);
    const system = manualSystem();
    let stored: EventStore;
    let state: StateStore;
    beforeEach(async () => {
      stored = await eventPlace.open();
      state = await statePlace.open();
    });

    const service = () => authenticatedAppends(stored, notary, system);
    const audit = () =>
      createAudit({
        events: stored,
        stored,
        state,
        handle: createHandle(service(), system),
        notary,
        system,
        pageTokens: createPageTokens(system),
      });
    const flaw = async () => (await audit().verify(organizationId)).flaw;
    const sealed = async (from: number) => {
      await appendEvents(service(), organizationId, 11, from);
      const deployment = { version: '1.0.0', host: 'here', pid: 1, followsChains: false };
      for (let n = 0; n < 3; n++) await sealAll({ events: service(), state, deployment }, system);
    };
    /** Appends an event of the history to its stream once more, with its id and its code, like an attacker. */
    const copy = async () => {
      const { stream, id, type, data, metadata, mac } = (await historyOf(stored, organizationId))[3] as Recorded;
      const { revision } = await stored.read(stream);
      await stored.append([
        { stream, expected: revision, events: [{ id, type, data, metadata, ...(mac !== undefined && { mac }) }] },
      ]);
      return id;
    };

    it('is stored, and found by the proof before and after it is sealed', async () => {
      await sealed(0);
      assert.equal(await flaw(), null);
      const id = await copy();
      const history = await historyOf(stored, organizationId);
      assert.equal(history.filter((one) => one.id === id && notary.isAuthentic(one)).length, 2);
      assert.match((await flaw())?.reason ?? 'none', /repeats the event|a repetition: it is stored as event 4 too/);
      await sealed(20);
      assert.match((await flaw())?.reason ?? 'none', /repeats the event|a repetition: it is stored as event 4 too/);
    });

    if (adapter !== 'sqlite')
      it('can be accepted by an operator, and is found again when it is made again', async () => {
        await sealed(0);
        await copy();
        await audit().acceptLoss.ofHistory(operator, organizationId, 'known');
        await sealed(20);
        assert.equal(await flaw(), null);
        await copy();
        assert.match((await flaw())?.reason ?? 'none', /a repetition/);
      });
  });
