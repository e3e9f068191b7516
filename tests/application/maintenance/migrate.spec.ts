import assert from 'node:assert/strict';
import { type MovePlace, type MovePorts, move } from '../../../application/maintenance/migrate.js';
import { refuseHalfMoved } from '../../../application/maintenance/state-entries.js';
import type { Recorded } from '../../../application/ports/event-store.js';
import { noEntry } from '../../../application/ports/state.js';
import { eventStores, states } from '../../support/adapters.js';
import { allEvents } from '../../support/following.js';
import { appendEvents } from '../../support/sealed-history.js';
import { testSystem } from '../../support/silent.js';

type Ends = { close(): Promise<void> };
const untold = () => undefined;
const refused = (text: RegExp) => (error: Error) => text.test(error.message);

describe('moving a history', function () {
  this.timeout(60_000);
  const opened: Ends[] = [];
  let [from, to]: [MovePlace, MovePlace] = [] as never;
  let events: Recorded[];

  const open = async <T extends Ends>(make: () => Promise<{ open(): Promise<T>; end?(): Promise<void> }>) => {
    const place = await make();
    const store = await place.open();
    opened.push({ close: async () => place.end?.() }, store);
    return store;
  };
  const ports = (given: Partial<MovePorts> = {}): MovePorts => ({
    from,
    to,
    staysBehind: ({ id }) => id === 'stores',
    firstUnopened: async () => null,
    sha256: testSystem.sha256,
    ...given,
  });
  const remember = (id: string, value: unknown) =>
    from.state.put('processes', id, typeof value === 'string' ? value : JSON.stringify(value), noEntry);

  beforeEach(async () => {
    from = { events: await open(eventStores.sqlite), state: await open(states.sqlite) };
    to = { events: await open(eventStores['eventstoredb over its wire']), state: await open(states.mongodb) };
    await appendEvents(from.events, 'org_a', 5);
    await appendEvents(from.events, 'org_b', 3);
    await appendEvents(from.events, 'org_a', 4, 5);
    events = await allEvents(from.events);
    await from.state.put('vault', 'service', 'wrapped', noEntry);
    await from.state.put('vault', 'stores', 'of these stores', noEntry);
  });
  afterEach(async () => {
    for (const one of opened.splice(0).toReversed()) await one.close();
  });

  it('tells in the new positions what processes remember in the old ones', async () => {
    await remember('queue-deliveries', '8');
    await remember('shred-secrets', '0');
    await remember('tell-transactions', '9999');
    await remember('follow:C', { chain: '0x1', headers: [], positions: [0, 3, 12], head: {} });
    await remember('audit-chain:org_b', { count: 3, position: 8, eventId: events[7]?.id });
    const moved = await move(ports(), untold);
    assert.deepEqual([moved.events, moved.organizations, moved.keys, moved.processes], [12, 2, 1, 5]);

    const there = await allEvents(to.events);
    const at = (n: number) => there[n - 1]?.position;
    const value = async (id: string) => JSON.parse((await to.state.get('processes', id))?.value ?? 'null');
    assert.equal(await value('queue-deliveries'), at(8));
    assert.equal(await value('shred-secrets'), 0);
    // Beyond the end: whoever remembers that begins anew, here as there.
    assert.equal(await value('tell-transactions'), 0);
    assert.deepEqual((await value('follow:C')).positions, [0, at(3), at(12)]);
    assert.deepEqual(await value('audit-chain:org_b'), { count: 3, position: at(8), eventId: events[7]?.id });
    assert.equal(await to.state.get('vault', 'stores'), null);
    await refuseHalfMoved(to.state);
  });

  it('goes on wherever it was interrupted', async () => {
    await remember('queue-deliveries', '8');
    for (let written = 0; written <= events.length; written += 4) {
      const dying = {
        ...to.events,
        adopt: async (batch: readonly Recorded[]) => {
          await to.events.adopt(batch.slice(0, 4));
          throw new Error('killed');
        },
      };
      await assert.rejects(move(ports({ to: { ...to, events: dying } }), untold).then(() => assert.fail('not dead')));
      await assert.rejects(refuseHalfMoved(to.state), refused(/not finished/));
      if ((await allEvents(to.events)).length === events.length) break;
    }
    assert.equal((await move(ports(), untold)).resumed, true);
    const content = (all: readonly Recorded[]) => all.map(({ position, ...rest }) => rest);
    assert.deepEqual(content(await allEvents(to.events)), content(events));
    await refuseHalfMoved(to.state);
  });

  it('is refused where it would mix, lose or lock away something', async () => {
    await assert.rejects(move(ports({ firstUnopened: async () => 'service' }), untold), refused(/MASTER_KEY/));
    await assert.rejects(move(ports({ from: to, to: from }), untold), refused(/to move from are empty/));
    let isUsed = false;
    const busy = {
      ...to.events,
      adopt: async (batch: readonly Recorded[]) => {
        await to.events.adopt(batch);
        if (!isUsed) await appendEvents(from.events, 'org_c', 1);
        isUsed = true;
      },
    };
    await assert.rejects(move(ports({ to: { ...to, events: busy } }), untold), refused(/changed meanwhile/));
    const other = { events: await open(eventStores.sqlite), state: await open(states.sqlite) };
    await appendEvents(other.events, 'org_z', 1);
    await assert.rejects(move(ports({ from: other }), untold), refused(/of another history/));
    await move(ports(), untold);
    await assert.rejects(move(ports(), untold), refused(/not empty/));
    await remember('something-new', { unheard: 'of' });
    await assert.rejects(move(ports(), untold), refused(/cannot move/));
  });

  it('finds an event that is another there', async () => {
    const forging = {
      ...to.events,
      adopt: (batch: readonly Recorded[]) =>
        to.events.adopt(batch.map((one, n) => (n === 6 ? { ...one, data: { ...one.data, forged: true } } : one))),
    };
    await assert.rejects(
      move(ports({ to: { ...to, events: forging } }), untold),
      refused(/event 7 .* is not the same/),
    );
    await assert.rejects(move(ports(), untold), refused(/event 7 .* is not the same/));
  });
});
