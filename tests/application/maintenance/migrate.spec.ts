import assert from 'node:assert/strict';
import { createStoreProof } from '../../../application/audit/store-proof.js';
import { type MigrationPorts, type MigrationStores, migrateStores } from '../../../application/maintenance/migrate.js';
import { rejectUnfinishedMigration } from '../../../application/maintenance/state-entries.js';
import type { EventStore, Recorded } from '../../../application/ports/event-store.js';
import { noEntry } from '../../../application/ports/state.js';
import { firstLink, nextLink } from '../../../domain/aggregates/audit.js';
import { appendEvents, historyOf, manualSystem, notary, sealAll } from '../../support/audit/sealed-history.js';
import { eventStores, states } from '../../support/engines/adapters.js';
import { allEvents } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

type Ends = { close(): Promise<void> };
const ignoreProgress = () => undefined;
const refused = (text: RegExp) => (error: Error) => text.test(error.message);

describe('the migration of a history to other stores', () => {
  const opened: Ends[] = [];
  let [from, to]: [MigrationStores, MigrationStores] = [] as never;
  let events: Recorded[];

  const open = async <T extends Ends>(make: () => Promise<{ open(): Promise<T>; end?(): Promise<void> }>) => {
    const place = await make();
    const store = await place.open();
    opened.push({ close: async () => place.end?.() }, store);
    return store;
  };
  const ports = (given: Partial<MigrationPorts> = {}): MigrationPorts => ({
    from,
    to,
    isStoreBound: ({ id }) => id === 'stores',
    firstUnreadableKey: async () => null,
    notary: async () => notary,
    sha256: testSystem.sha256,
    now: testSystem.now,
    ...given,
  });
  const remember = (id: string, value: unknown) =>
    from.state.put('processes', id, typeof value === 'string' ? value : JSON.stringify(value), noEntry);

  beforeEach(async () => {
    from = { engine: 'SQLite', events: await open(eventStores.sqlite), state: await open(states.sqlite) };
    to = {
      engine: 'EventStoreDB',
      events: await open(eventStores['eventstoredb over its wire']),
      state: await open(states.mongodb),
    };
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

  it('translates the stored positions of processes into those of the new store', async () => {
    await remember('queue-deliveries', '8');
    await remember('shred-secrets', '0');
    await remember('tell-transactions', '9999');
    await remember('follow:C', { chain: '0x1', headers: [], positions: [0, 3, 12], head: {} });
    await remember('follow:P', { chain: '0x1', first: { header: {}, position: 3 }, tip: {}, head: {} });
    await remember('follow:P:7', { chain: '0x1', header: {}, position: 12 });
    await remember('pulse:P', { turnedAt: 3 });
    const { hash } = (await historyOf(from.events, 'org_b')).reduce(
      (link, event) => nextLink(link, event, testSystem.sha256),
      firstLink('org_b', testSystem.sha256),
    );
    await remember('audit-chain:org_b', { count: 3, hash, position: 8, eventId: events[7]?.id });
    await remember('find-token-accounts-T', '8');
    await remember('witness:file', '8');
    await remember('token-accounts T org_b EQmaster', [8, 'EQaddress']);
    const asTheyAre = [
      ...['late-accounts T 1', 'credential:ck_1', 'nonces:spans', 'lease:witness-url', 'traced:C', 'import:1'],
      ...['session:hash', 'sessions:org_a:credential:ck_1', 'console-link:hash'],
    ];
    for (const id of asTheyAre) await remember(id, { position: 8 });
    const moved = await migrateStores(ports(), ignoreProgress);
    assert.deepEqual([moved.events, moved.organizations, moved.keys, moved.processes], [12, 2, 1, 20]);

    const there = await allEvents(to.events);
    const at = (n: number) => there[n - 1]?.position;
    const value = async (id: string) => JSON.parse((await to.state.get('processes', id))?.value ?? 'null');
    assert.equal(await value('queue-deliveries'), at(8));
    assert.equal(await value('shred-secrets'), 0);
    // A checkpoint beyond the last event is migrated as 0, because its process would start from the first event in the
    // old stores too.
    assert.equal(await value('tell-transactions'), 0);
    assert.deepEqual((await value('follow:C')).positions, [0, at(3), at(12)]);
    assert.equal((await value('follow:P')).first.position, at(3));
    assert.equal((await value('follow:P:7')).position, at(12));
    assert.deepEqual(await value('pulse:P'), { turnedAt: 3 });
    assert.deepEqual(await value('audit-chain:org_b'), { count: 3, hash, position: at(8), eventId: events[7]?.id });
    assert.equal(await value('find-token-accounts-T'), at(8));
    assert.equal(await value('witness:file'), at(8));
    assert.deepEqual(await value('token-accounts T org_b EQmaster'), [at(8), 'EQaddress']);
    for (const id of asTheyAre) assert.deepEqual(await value(id), { position: 8 });
    assert.equal(await to.state.get('vault', 'stores'), null);
    await rejectUnfinishedMigration(to.state);
  });

  it('signs the migration, so that old seals stay valid and later ones cover the new positions', async () => {
    to = { engine: 'another SQLite', events: await open(eventStores.sqlite), state: await open(states.sqlite) };
    await appendEvents(from.events, 'org_a', 20, 20);
    for (let n = 0; n < 3; n++) await sealAll(from);
    const auditOver = ({ events: stored, state }: MigrationStores) =>
      createStoreProof({ events: stored, state, notary, system });
    const system = manualSystem();
    assert.equal((await auditOver(from).verify('org_a')).flaw, null);
    await migrateStores(ports(), ignoreProgress);
    assert.equal((await auditOver(to).verify('org_a')).flaw, null);
    for (let n = 0; n < 3; n++) await sealAll(to);
    await appendEvents(to.events, 'org_a', 12, 50);
    for (let n = 0; n < 3; n++) await sealAll(to);
    const { flaw, seals } = await auditOver(to).verify('org_a');
    assert.deepEqual([flaw, seals], [null, 2]);
    const types = (await historyOf(to.events, 'org_a')).map(({ type }) => type);
    assert.equal(types.filter((type) => type === 'HistoryMoved').length, 1);
    const retimed: EventStore = {
      ...to.events,
      readOrganization: async function* (id, after) {
        for await (const batch of to.events.readOrganization(id, after))
          yield batch.map((one) => ({ ...one, time: one.time - 1000 }));
      },
    };
    const found = (await auditOver({ ...to, events: retimed }).verify('org_a')).flaw;
    assert.match(
      found?.reason ?? '',
      /^at another position or commit time than when the history was moved from SQLite/,
    );
  });

  it('continues after every interruption', async () => {
    await remember('queue-deliveries', '8');
    for (let written = 0; written <= events.length; written += 4) {
      const dying = {
        ...to.events,
        adopt: async (batch: readonly Recorded[]) => {
          await to.events.adopt(batch.slice(0, 4));
          throw new Error('killed');
        },
      };
      await assert.rejects(
        migrateStores(ports({ to: { ...to, events: dying } }), ignoreProgress).then(() => assert.fail('not dead')),
      );
      await assert.rejects(rejectUnfinishedMigration(to.state), refused(/not finished/));
      if ((await allEvents(to.events)).length === events.length) break;
    }
    assert.equal((await migrateStores(ports(), ignoreProgress)).resumed, true);
    const content = (all: readonly Recorded[]) => all.map(({ position, ...rest }) => rest);
    assert.deepEqual(content(await allEvents(to.events)), content(events));
    await rejectUnfinishedMigration(to.state);
  });

  it('is rejected if it would mix two histories, lose events or lose the key to secrets', async () => {
    await assert.rejects(
      migrateStores(ports({ firstUnreadableKey: async () => 'service' }), ignoreProgress),
      refused(/MASTER_KEY/),
    );
    await assert.rejects(
      migrateStores(ports({ from: to, to: from }), ignoreProgress),
      refused(/source stores are empty/),
    );
    let isUsed = false;
    const busy = {
      ...to.events,
      adopt: async (batch: readonly Recorded[]) => {
        await to.events.adopt(batch);
        if (!isUsed) await appendEvents(from.events, 'org_c', 1);
        isUsed = true;
      },
    };
    await assert.rejects(
      migrateStores(ports({ to: { ...to, events: busy } }), ignoreProgress),
      refused(/changed during the migration/),
    );
    const other = { engine: 'SQLite', events: await open(eventStores.sqlite), state: await open(states.sqlite) };
    await appendEvents(other.events, 'org_z', 1);
    await assert.rejects(migrateStores(ports({ from: other }), ignoreProgress), refused(/of another history/));
    await migrateStores(ports(), ignoreProgress);
    await assert.rejects(migrateStores(ports(), ignoreProgress), refused(/not empty/));
    await remember('something-new', { unheard: 'of' });
    await assert.rejects(migrateStores(ports(), ignoreProgress), refused(/cannot migrate/));
  });

  it('is rejected for a history that its seals, its log or its progress contradict, with the words of the proof', async () => {
    await appendEvents(from.events, 'org_a', 20, 20);
    for (let n = 0; n < 3; n++) await sealAll(from);
    const isRejectedFor = async (source: Partial<MigrationStores>, reason: RegExp) => {
      await assert.rejects(migrateStores(ports({ from: { ...from, ...source } }), ignoreProgress), refused(reason));
      assert.equal(await to.events.head(), 0);
    };
    const changed = (change: (event: Recorded) => Recorded): EventStore => {
      const each = async function* (batches: AsyncIterable<readonly Recorded[]>) {
        for await (const batch of batches) yield batch.map(change);
      };
      return {
        ...from.events,
        readAll: (after) => each(from.events.readAll(after)),
        readOrganization: (id, after) => each(from.events.readOrganization(id, after)),
      };
    };
    await isRejectedFor(
      { events: changed((event) => ({ ...event, time: event.time - 1000 })) },
      /^org_a: something in the events 1 to \d+ is at another position or commit time than when .*audit verify --all/,
    );
    await isRejectedFor(
      { events: { ...from.events, disorder: async () => 'why' } },
      /^org_a: the event store is altered or damaged: why\. /,
    );
    const log = await from.state.get('processes', 'audit-log');
    await from.state.destroy('processes', 'audit-log');
    await isRejectedFor({}, /^org_a: the seal log is not the one that was written: /);
    await from.state.put('processes', 'audit-log', log?.value ?? '', noEntry);
    await migrateStores(ports(), ignoreProgress);
  });

  it('fails at an event that differs in the new store', async () => {
    const forging = {
      ...to.events,
      adopt: (batch: readonly Recorded[]) =>
        to.events.adopt(batch.map((one, n) => (n === 6 ? { ...one, data: { ...one.data, forged: true } } : one))),
    };
    await assert.rejects(
      migrateStores(ports({ to: { ...to, events: forging } }), ignoreProgress),
      refused(/Event 7 .* is not the same/),
    );
    await assert.rejects(migrateStores(ports(), ignoreProgress), refused(/Event 7 .* is not the same/));
  });
});
