import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { currentEvents } from '../../../application/commands/current-events.js';
import { type NewEvent, noStream, type Recorded } from '../../../application/ports/event-store.js';
import { createWatchList } from '../../../application/watch-list/watch-list.js';
import { historySealed } from '../../../domain/aggregates/webhook.js';
import { UnreadableEvent } from '../../../domain/upcasters.js';
import { composeApp, openStores, variantOf } from '../../support/following/following.js';
import { organizationCreated } from '../../support/histories/events.js';
import { testSystem } from '../../support/silent.js';

const { tag } = variantOf('t');
const { metadata } = organizationCreated('a').events[0] as NewEvent;
const holder = { organizationId: metadata.organizationId, walletId: 'wal_1' };
const [address, account] = [`0:${'a'.repeat(64)}`, `0:${'b'.repeat(64)}`];
const jetton = { standard: 'token', contract: `0:${'c'.repeat(64)}` } as const;
const event = (type: string, data: object): NewEvent => ({
  id: randomUUID(),
  type,
  data: { address, walletId: holder.walletId, ...data },
  metadata: { ...metadata, variant: tag },
});
const registered = event('AddressRegistered', {});
const imported = event('AssetImported', { asset: jetton, account });
const removed = event('AddressRemoved', { head: 9 });
const found = event('TokenAccountFound', { asset: jetton, account });
const followed = event('ContractRegistered', { contract: jetton.contract, standard: 'token', description: {} });
const unfollowed = event('ContractRemoved', { contract: jetton.contract });

/** Loads the watch list for a follower that starts after all events and has followed blocks up to a height. */
const loaded = async (events: readonly NewEvent[], final: number) => {
  const stores = await openStores();
  const app = composeApp(stores);
  const stop = new AbortController();
  const projecting = app.projector.run(stop.signal);
  const stream = `${holder.organizationId}.address-${tag}.${address}`;
  const position = await stores.events.append([{ stream, expected: noStream, events }]);
  assert.ok(await app.progress.reached(position, 10_000));
  const list = createWatchList({ ...stores, system: testSystem }, tag);
  await list.load(position, final);
  stop.abort();
  await projecting;
  await stores.close();
  return list;
};

const claimsOf = ({ interest }: Awaited<ReturnType<typeof loaded>>, of: string) =>
  interest.tokenAccounts(of).map(({ owner, asset }) => ({ owner, asset }));

describe('the watch list after a newer release wrote events', () => {
  const inVersion = (version: number, one: NewEvent): Recorded => ({
    ...one,
    metadata: { ...one.metadata, version },
    stream: 's',
    position: 1,
    time: 1,
    bytes: 1,
  });
  const catchUp = async (events: readonly Recorded[]) => {
    const readAll = async function* () {
      yield events;
    };
    const stores = await openStores();
    const list = createWatchList(
      { ...stores, events: currentEvents({ ...stores.events, readAll }), system: testSystem },
      tag,
    );
    try {
      await list.catchUp();
    } finally {
      await stores.close();
    }
    return list;
  };
  const block = { number: 7, hash: '0xb7', time: 1, chain: '0xb0' };

  it('skips an activity event that it cannot read, which stays stored for that release', async () => {
    const list = await catchUp([inVersion(3, event('BalanceTouched', { block })), inVersion(1, registered)]);
    assert.deepEqual([[...list.activities.all()], list.holders(address)], [[], [holder]]);
  });

  it('stops at an address event that it cannot read, because deposits would be missed', () =>
    assert.rejects(catchUp([inVersion(2, registered)]), UnreadableEvent));
});

describe('the watch list after a restart', () => {
  it('has the webhooks that subscribe to activity, and none that subscribes only to seals', async () => {
    const asking = (webhookId: string, more: object) =>
      event('WebhookRegistered', {
        webhookId,
        endpoint: 'https://a.example/',
        confirmation: 1,
        sealedSecret: '',
        ...more,
      });
    const list = await loaded([asking('h1', {}), asking('h2', { notificationTypes: [historySealed] })], 5);
    assert.deepEqual(
      list.listeners(holder).map(({ webhookId }) => webhookId),
      ['h1'],
    );
  });

  it('keeps the imports of a removed address up to the height of its removal', async () => {
    const list = await loaded([registered, imported, removed], 5);
    assert.deepEqual(list.holdersAt(address, 9), [holder]);
    assert.deepEqual(claimsOf(list, account), [{ owner: address, asset: jetton }]);
  });

  it('forgets the address and its imports once that height is final', async () => {
    const list = await loaded([registered, imported, removed], 9);
    assert.deepEqual(list.holdersAt(address, 9), []);
    assert.deepEqual(claimsOf(list, account), []);
  });

  it('has no import from before the last removal', async () => {
    const again = [registered, imported, removed].map((one) => ({ ...one, id: randomUUID() }));
    const [back, , left] = again as [NewEvent, NewEvent, NewEvent];
    const list = await loaded([registered, imported, removed, back, left], 5);
    assert.deepEqual(list.holdersAt(address, 9), [holder]);
    assert.deepEqual(claimsOf(list, account), []);
  });

  it('has no import from before the address was registered again, until it is imported again', async () => {
    const [back, again] = [registered, imported].map((one) => ({ ...one, id: randomUUID() }));
    const past = [registered, imported, removed, back as NewEvent];
    const list = await loaded(past, 5);
    assert.deepEqual(list.holders(address), [holder]);
    assert.deepEqual([list.isImported(holder, address, jetton.contract), claimsOf(list, account)], [false, []]);
    const later = await loaded([...past, again as NewEvent], 5);
    assert.ok(later.isImported(holder, address, jetton.contract));
    assert.deepEqual(claimsOf(later, account), [{ owner: address, asset: jetton }]);
  });

  it('has no import of another wallet that held the address before', async () => {
    const other = { ...holder, walletId: 'wal_2' };
    const moved = event('AddressRegistered', { walletId: other.walletId });
    const list = await loaded([registered, imported, event('AddressRemoved', {}), moved], 5);
    assert.deepEqual(list.holders(address), [other]);
    assert.deepEqual([list.isImported(other, address, jetton.contract), claimsOf(list, account)], [false, []]);
  });

  it('has the accounts of a registered token until the token or the address is removed', async () => {
    const claims = [{ owner: address, asset: jetton }];
    const list = await loaded([registered, followed, found], 5);
    assert.deepEqual(claimsOf(list, account), claims);
    assert.ok(!list.isImported(holder, address, jetton.contract));
    assert.equal(list.standardOf(holder.organizationId, jetton.contract), 'token');
    assert.deepEqual(claimsOf(await loaded([registered, followed, found, removed], 5), account), claims);
    assert.deepEqual(claimsOf(await loaded([registered, followed, found, removed], 9), account), []);
    assert.deepEqual(claimsOf(await loaded([registered, followed, found, unfollowed], 5), account), []);
  });
});
