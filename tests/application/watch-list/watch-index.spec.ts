import assert from 'node:assert/strict';
import fc from 'fast-check';
import { entriesOf } from '../../../application/following/block-entries.js';
import type { Block, Movement } from '../../../application/ports/chain.js';
import type { Recorded } from '../../../application/ports/event-store.js';
import { createWatchIndex } from '../../../application/watch-list/watch-index.js';
import type { WatchList } from '../../../application/watch-list/watch-list.js';
import { historySealed } from '../../../domain/aggregates/webhook.js';
import { coin, type Happened, histories, texts } from '../../support/histories/histories.js';
import { organizationIds, tags, walletIds } from '../../support/histories/history-asks.js';
import { aboutAt } from '../../support/histories/project.js';
import { sized } from '../../support/run/tier.js';

type Watched = ReturnType<typeof createWatchIndex>;
const variant = tags[0] as string;

const recorded = ({ type, data, stream, about }: Happened): Recorded => ({
  id: String(about.position),
  type,
  data,
  stream,
  position: about.position,
  time: about.position,
  bytes: about.bytes,
  metadata: {
    organizationId: about.organizationId,
    variant: about.variant,
    actor: { kind: 'process', id: 'test' },
    requestId: 'r',
    causationId: 'r',
    correlationId: 'r',
    occurredAt: about.occurredAt,
  },
});
const watching = (...parts: (readonly Happened[])[]) => {
  const watched = createWatchIndex(variant, 7);
  for (const event of parts.flat()) watched.apply(recorded(event));
  return watched;
};

const sorted = <T>(values: Iterable<T>) =>
  [...values].map((one) => JSON.stringify(one)).toSorted((a, b) => (a < b ? -1 : 1));
const holders = organizationIds.flatMap((organizationId) =>
  walletIds.map((walletId) => ({ organizationId, walletId })),
);
const answersOf = (watched: Watched) => ({
  held: texts.map((text) => [watched.isHeld(text), sorted(watched.holders(text))]),
  followed: [watched.isFollowed(coin), organizationIds.map((id) => watched.standardOf(id, coin))],
  confirmations: holders.map((holder) => watched.confirmation(holder)),
  listeners: holders.map((holder) => sorted(watched.listeners(holder))),
  open: sorted([...watched.activities.all()].filter(({ phase }) => phase !== 'settled')),
});
const settledIn = (watched: Watched) =>
  sorted([...watched.activities.all()].filter(({ phase }) => phase === 'settled'));

const runs = { numRuns: sized(30, 100) };
const always = (check: (history: readonly Happened[]) => void) => fc.assert(fc.property(histories, check), runs);

describe('the watch index', () => {
  it('is the same when every event is applied twice', () =>
    always((history) =>
      assert.deepEqual(answersOf(watching(history.flatMap((event) => [event, event]))), answersOf(watching(history))),
    ));

  it('is the same when any number of the last events are applied again', () =>
    fc.assert(
      fc.property(histories, fc.nat(), (history, cut) => {
        const [once, again] = [watching(history), watching(history, history.slice(cut % (history.length + 1)))];
        assert.deepEqual(answersOf(again), answersOf(once));
        const kept = settledIn(again);
        assert.deepEqual(
          settledIn(once).filter((one) => !kept.includes(one)),
          [],
        );
      }),
      runs,
    ));

  it('ignores events of other variants', () =>
    always((history) => {
      const own = history.filter(({ about }) => about.variant === variant);
      assert.deepEqual(answersOf(watching(own)), answersOf(watching(history)));
      assert.deepEqual(settledIn(watching(own)), settledIn(watching(history)));
    }));

  it('holds an address as the last event about it says', () =>
    always((history) => {
      const last = new Map(
        history
          .filter(({ type, about }) => type.startsWith('Address') && about.variant === variant)
          .map((event) => [event.stream, event]),
      );
      const expected = (text: string) =>
        [...last.values()]
          .map(({ type, data, about }) => ({ type, about, ...(data as { address: string; walletId: string }) }))
          .filter(({ type, address }) => type === 'AddressRegistered' && address === text)
          .map(({ about, walletId }) => ({ organizationId: about.organizationId, walletId }));
      const watched = watching(history);
      for (const text of texts) assert.deepEqual(sorted(watched.holders(text)), sorted(expected(text)));
    }));
});

const [address = '', other = ''] = texts;
const event = (organizationId: string, type: string, data: object): Happened => ({
  type,
  data: { walletId: 'wal_1', ...data },
  about: aboutAt(organizationId, variant, 1),
  stream: 's',
});
const both = (type: string, data: object) => ['org_a', 'org_b'].map((id) => event(id, type, data));
const holder = (organizationId: string, walletId = 'wal_1') => ({ organizationId, walletId });

describe('two organizations on one address', () => {
  const held = both('AddressRegistered', { address });

  it('both hold it, even when their wallets have the same id', () =>
    assert.deepEqual(sorted(watching(held).holders(address)), sorted([holder('org_a'), holder('org_b')])));
  it('lose it independently', () => {
    const [first, second] = both('AddressRemoved', { address });
    assert.ok(first && second);
    assert.deepEqual(watching(held, [first]).holders(address), [holder('org_b')]);
    const watched = watching(held, [first, second]);
    assert.deepEqual([watched.isHeld(address), watched.holders(address)], [false, []]);
  });
  it('have confirmation thresholds of their own', () => {
    const watched = watching([
      event('org_a', 'WalletRegistered', { confirmation: 3 }),
      event('org_b', 'WalletRegistered', { confirmation: 0 }),
      event('org_a', 'ConfirmationUpdated', { confirmation: 5 }),
      event('org_c', 'WalletRegistered', {}),
    ]);
    const found = ['org_a', 'org_b', 'org_c', 'org_d'].map((id) => watched.confirmation(holder(id)));
    assert.deepEqual(found, [5, 0, null, null]);
  });
  it('follow a contract under a standard of their own, until each has removed it', () => {
    const [first, second] = both('ContractRemoved', { contract: coin });
    assert.ok(first && second);
    const follow = [
      event('org_a', 'ContractRegistered', { contract: coin, standard: 'erc20' }),
      event('org_b', 'ContractRegistered', { contract: coin, standard: 'erc721' }),
    ];
    const found = (...removed: Happened[]) => {
      const watched = watching(follow, removed);
      return [watched.isFollowed(coin), watched.standardOf('org_a', coin), watched.standardOf('org_b', coin)];
    };
    assert.deepEqual(found(), [true, 'erc20', 'erc721']);
    assert.deepEqual(found(first), [true, undefined, 'erc721']);
    assert.deepEqual(found(first, second), [false, undefined, undefined]);
  });
  it('settle a block independently', () => {
    const block = { number: 7, hash: '0xb7', time: 1, chain: '0xb0' };
    const { activities } = watching(both('BalanceTouched', { block }), [event('org_a', 'ActivitySettled', { block })]);
    assert.deepEqual(activities.in('0xb7'), [
      { ...holder('org_a'), block, phase: 'settled' },
      { ...holder('org_b'), block, phase: 'pending' },
    ]);
    activities.forgetSettled(6);
    assert.equal(activities.in('0xb7').length, 2);
    activities.forgetSettled(7);
    assert.deepEqual(activities.in('0xb7'), [{ ...holder('org_b'), block, phase: 'pending' }]);
  });
});

describe('the watched activity in a block', () => {
  const block = { number: 7, hash: '0xb7', time: 1, chain: '0xb0' };
  const phases = (...said: [string, object?][]) =>
    watching(said.map(([type, more]) => event('org_a', type, { block, ...more }))).activities.in('0xb7');
  const open = ['ActivitySettled', { open: true }] as [string, object];

  for (const [phase, ...said] of [
    ['pending', ['TransferObserved']],
    ['open', ['TransferObserved'], open],
    ['settled', ['TransferObserved'], open, ['ActivityClosed']],
    ['due', ['TransferObserved'], open, ['ActivityDropped', { due: true }]],
    ['pending', ['TransferObserved'], ['ActivityDropped', { due: true }], ['BalanceTouched']],
  ] as [string, ...[string, object?][]][])
    it(`is ${phase} after ${said.map(([type]) => type).join(', ')}`, () =>
      assert.deepEqual(phases(...said), [{ ...holder('org_a'), block, phase }]));
  it('is forgotten when it is dropped before it was settled, or corrected after it', () => {
    assert.deepEqual(phases(['BalanceTouched'], ['ActivityDropped', { due: false }]), []);
    assert.deepEqual(phases(['BalanceTouched'], ['ActivityDropped', { due: true }], ['ActivitySettled']), []);
  });
  it('is kept while it is open, however deep the block is', () => {
    const { activities } = watching([event('org_a', 'ActivitySettled', { block, open: true })]);
    activities.forgetSettled(1000);
    assert.equal(activities.in('0xb7').length, 1);
    activities.settle(holder('org_a'), block, 'settled');
    activities.forgetSettled(1000);
    assert.deepEqual(activities.in('0xb7'), []);
  });
});

describe('the listeners of a wallet', () => {
  const listener = (webhookId: string, walletId: string, confirmation = 0) => ({ webhookId, walletId, confirmation });
  const registered = (id: string, { walletId, ...data }: ReturnType<typeof listener>) =>
    event(id, 'WebhookRegistered', { ...data, walletId: walletId === '' ? undefined : walletId });
  const [every, first, second] = [listener('h1', ''), listener('h2', 'wal_1', 3), listener('h3', 'wal_2', 5)];
  const all = [registered('org_a', every), registered('org_a', first), registered('org_a', second)];
  const about = (watched: Watched, id: string) =>
    walletIds.map((walletId) => watched.listeners(holder(id, walletId)).map(({ webhookId }) => webhookId));

  it('are the webhooks of its organization for the wallet or for every wallet', () => {
    const watched = watching(all, [registered('org_b', listener('h4', 'wal_1'))]);
    assert.deepEqual(watched.listeners(holder('org_a')), [every, first]);
    assert.deepEqual(about(watched, 'org_a'), [
      ['h1', 'h2'],
      ['h1', 'h3'],
    ]);
    assert.deepEqual(about(watched, 'org_b'), [['h4'], []]);
    assert.deepEqual(about(watched, 'org_c'), [[], []]);
  });
  it('include no removed webhook, and still one of the same id of another organization', () => {
    const same = listener('h1', '');
    const gone = event('org_a', 'WebhookRemoved', { webhookId: 'h1', walletId: undefined });
    const watched = watching(all, [registered('org_b', same), gone]);
    assert.deepEqual(about(watched, 'org_a'), [['h2'], ['h3']]);
    assert.deepEqual(about(watched, 'org_b'), [['h1'], ['h1']]);
  });
  it('include disabled webhooks, which receive missed notifications when they are revived', () => {
    const paused = event('org_a', 'WebhookDisabled', { webhookId: 'h2', walletId: undefined, reason: 'gone' });
    assert.deepEqual(watching(all, [paused]).listeners(holder('org_a')), [every, first]);
  });
  it('include no webhook that subscribes only to seals', () => {
    const alone = { webhookId: 'h4', walletId: undefined, notificationTypes: [historySealed] };
    assert.deepEqual(about(watching([event('org_a', 'WebhookRegistered', alone)]), 'org_a'), [[], []]);
  });
});

describe('the entries of a block', () => {
  const movement = (
    index: string,
    from: string,
    to: string,
    asset: Movement['asset'] = { standard: 'native' },
  ): Movement => ({
    transaction: '0xt1',
    index,
    asset,
    from,
    to,
    value: '5',
    fee: '1',
    failed: false,
    details: {},
  });
  const entries = (watched: Watched, movements: Movement[], touches: Block['touches'] = []) => {
    const block: Block = { number: 7, hash: '0xb7', parentHash: '0xb6', time: 1, movements, touches };
    const unused = () => assert.fail('entries are made from the loaded watch list alone');
    const list: WatchList = {
      ...watched,
      interest: { address: unused, contract: unused, tokenAccounts: unused },
      load: unused,
      catchUp: unused,
    };
    return entriesOf(block, list);
  };
  const held = both('AddressRegistered', { address });

  it('name each organization that holds the address, and no other', () => {
    const paid = movement('0', address, other);
    const touch = { address, reason: 'fee' } as const;
    const entry = { transfers: [{ transfer: paid, own: [address] }], touches: [touch] };
    const found = entries(watching(held), [paid, movement('1', other, other)], [touch, { ...touch, address: other }]);
    assert.deepEqual(sorted(found), sorted([holder('org_a'), holder('org_b')].map((one) => ({ ...one, ...entry }))));
  });
  it('contain a transfer within a wallet once, even from an address to itself', () => {
    const watched = watching(held.slice(0, 1), [event('org_a', 'AddressRegistered', { address: other })]);
    const [between, within] = [movement('0', address, other), movement('1', other, other)];
    assert.deepEqual(entries(watched, [between, within]), [
      {
        ...holder('org_a'),
        transfers: [
          { transfer: between, own: [address, other] },
          { transfer: within, own: [other] },
        ],
        touches: [],
      },
    ]);
  });
  it('name each wallet of an organization with its own address', () => {
    const watched = watching(held.slice(0, 1), [
      event('org_a', 'AddressRegistered', { address: other, walletId: 'wal_2' }),
    ]);
    const transfer = movement('0', address, other);
    assert.deepEqual(entries(watched, [transfer]), [
      { ...holder('org_a'), transfers: [{ transfer, own: [address] }], touches: [] },
      { ...holder('org_a', 'wal_2'), transfers: [{ transfer, own: [other] }], touches: [] },
    ]);
  });
  it('contain a token transfer for organizations that follow the contract under its standard', () => {
    const watched = watching(held, [
      event('org_a', 'ContractRegistered', { contract: coin, standard: 'erc20' }),
      event('org_b', 'ContractRegistered', { contract: coin, standard: 'erc721' }),
    ]);
    const coins = movement('0', other, address, { standard: 'erc20', contract: coin });
    const found = entries(watched, [coins, movement('1', other, address, { standard: 'erc20', contract: '0xdd' })]);
    assert.deepEqual(found, [{ ...holder('org_a'), transfers: [{ transfer: coins, own: [address] }], touches: [] }]);
  });
});
