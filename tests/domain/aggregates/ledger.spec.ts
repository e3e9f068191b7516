import assert from 'node:assert/strict';
import { type Ledger, type LedgerCommand, type LedgerEvent, ledger } from '../../../domain/aggregates/ledger.js';
import { decide, fold } from '../../../domain/decider.js';
import {
  activitySettled,
  activitySettledOpen,
  at,
  balances,
  closed,
  closedForFeed,
  confirmed,
  corrected,
  dropped,
  due,
  importRow,
  inBlock,
  missing,
  native,
  observed,
  openlyUnread,
  read,
  reread,
  setAside,
  settled,
  settledOpen,
  touches,
  transfers,
  unread,
} from '../../support/histories/ledger-events.js';
import { check, emits, nothing } from '../../support/histories/matrix.js';

describe('the activity of a wallet in a block', () => {
  const states = {
    unknown: [],
    pending: observed,
    open: [...observed, ...settledOpen],
    closed: [...observed, ...settledOpen, closed],
    confirmed: [...observed, ...settled],
    dropped: [...observed, ...dropped(false)],
    due,
    'due because a webhook may have reported it': [...observed, ...dropped(true)],
    corrected: [...due, ...corrected],
    'pending again': [...observed, ...dropped(false), ...observed],
    'pending again before its correction': [...due, ...observed],
    'pending again after its correction': [...due, ...corrected, ...observed],
    'confirmed again': [...observed, ...dropped(false), ...observed, ...settled],
    'confirmed again together with its correction': [...due, ...observed, ...confirmed, ...corrected],
    'open again together with its correction': [...due, ...observed, ...confirmed, ...reread, activitySettledOpen],
    'due again': [...due, ...observed, ...dropped(true)],
    unread: [...observed, ...confirmed, unread],
    'unread and open': [...observed, ...confirmed, openlyUnread],
    'unread and closed': [...observed, ...confirmed, openlyUnread, closed],
    'read and still open': [...observed, ...confirmed, openlyUnread, ...read, ...setAside, activitySettledOpen],
    'unread before its correction': [...due, ...observed, ...confirmed, unread],
    'due before it was read': [...observed, ...confirmed, unread, ...dropped(true)],
  };
  type Found = Partial<Record<keyof typeof states, LedgerEvent[]>>;
  /** Makes cells of the matrix: the given states emit the given events, and all other states emit nothing. */
  const cells = (found: Found) => ({
    ...Object.fromEntries(Object.entries(found).map(([state, events]) => [state, emits(...events)])),
    otherwise: nothing,
  });
  const confirmation = (last: LedgerEvent) =>
    cells({
      pending: [...confirmed, last],
      'pending again': [...confirmed, last],
      'pending again before its correction': [...confirmed, last],
      'pending again after its correction': [...confirmed, last],
    });
  const settleAfter = (
    drops: number,
    more: { balances?: typeof balances; aside?: typeof missing; open?: boolean; retracted?: boolean } = {},
  ) =>
    ({
      type: 'Settle',
      data: { ...inBlock, balances, aside: [], at, drops, open: false, retracted: false, ...more },
    }) as const;
  const settled0 = (found: LedgerEvent[], last = activitySettled) =>
    cells({
      pending: [...confirmed, ...found, last],
      unread: [...found, activitySettled],
      'unread and open': [...found, activitySettledOpen],
      'unread and closed': [...found, activitySettled],
    });
  const settled1 = (found: LedgerEvent[], again: LedgerEvent[]) =>
    cells({
      'pending again': [...confirmed, ...found, activitySettled],
      'pending again before its correction': [...confirmed, ...again, activitySettled],
      'pending again after its correction': [...confirmed, ...found, activitySettled],
      'unread before its correction': [...again, activitySettled],
    });
  const corrected1 = (again: LedgerEvent[]) =>
    cells({
      due: [...again, activitySettled],
      'due because a webhook may have reported it': [...again, activitySettled],
      'due before it was read': [...again, activitySettled],
    });

  const onRequest: LedgerEvent[] = [
    ...balances.map(({ address, asset }) => ({
      type: 'BalanceTouched' as const,
      data: { ...inBlock, address, asset, reason: 'refresh' },
    })),
    ...balances.map((one) => ({
      type: 'BalanceRead' as const,
      data: { walletId: 'wal_1', ...one, at: { number: 7, hash: '0xb7', chain: '0xb0' } },
    })),
  ];
  const refreshed: Found = {
    unknown: [...onRequest, activitySettled],
    pending: onRequest,
    open: [...onRequest, activitySettledOpen],
    closed: [...onRequest, activitySettled],
    confirmed: [...onRequest, activitySettled],
    'pending again': onRequest,
    'pending again before its correction': onRequest,
    'pending again after its correction': onRequest,
    'confirmed again': [...onRequest, activitySettled],
    'confirmed again together with its correction': [...onRequest, activitySettled],
    'open again together with its correction': [...onRequest, activitySettledOpen],
    unread: [...onRequest, unread],
    'unread and open': [...onRequest, openlyUnread],
    'unread and closed': [...onRequest, unread],
    'read and still open': [...onRequest, activitySettledOpen],
    'unread before its correction': [...onRequest, unread],
  };

  const touchedOnRequest = onRequest.filter(({ type }) => type === 'BalanceTouched');
  const awaited = Object.fromEntries(Object.keys(refreshed).map((state) => [state, touchedOnRequest]));

  it('includes balances read on request when its block is settled, and when the block is replaced', () => {
    const asked = fold(ledger, touchedOnRequest);
    assert.deepEqual([asked.phase, asked.holdings.length], ['pending', 2]);
    assert.deepEqual(decide(ledger, asked, { type: 'Confirm', data: { ...inBlock, open: false } }), [unread]);
    assert.deepEqual(decide(ledger, fold(ledger, [...touchedOnRequest, unread]), settleAfter(0)), [
      ...read,
      activitySettled,
    ]);
    const drop = { type: 'Drop', data: { ...inBlock, notified: false } } as const;
    assert.deepEqual(decide(ledger, asked, drop), [{ type: 'ActivityDropped', data: { ...inBlock, due: true } }]);
    const back = fold(ledger, [...touchedOnRequest, ...dropped(true).slice(-1), activitySettled, ...observed]);
    assert.deepEqual(decide(ledger, back, drop), dropped(false));
  });

  it('is observed in a block in which balances were read on request, and keeps both', () => {
    const past = [...onRequest, activitySettled];
    const state = fold(ledger, past);
    const command = { type: 'Observe', data: { ...inBlock, transfers, touches } } as const;
    assert.deepEqual(decide(ledger, state, command), observed);
    assert.equal(fold(ledger, [...past, ...observed]).holdings.length, 5);
    assert.deepEqual(decide(ledger, fold(ledger, [...past, ...observed]), command), []);
  });

  it('continues after an append that stored only part of it', () => {
    const command = { type: 'Observe', data: { ...inBlock, transfers, touches } } as const;
    for (const stored of observed.keys())
      assert.deepEqual(decide(ledger, fold(ledger, observed.slice(0, stored)), command), observed.slice(stored));
    const confirm = { type: 'Confirm', data: { ...inBlock, open: false } } as const;
    const past = [...observed, ...confirmed.slice(0, 1)];
    assert.deepEqual(decide(ledger, fold(ledger, past), confirm), [...confirmed.slice(1), unread]);
    const drop = { type: 'Drop', data: { ...inBlock, notified: false } } as const;
    assert.deepEqual(decide(ledger, fold(ledger, past), drop), dropped(false));
    const removed = [...observed, ...dropped(false).slice(0, 1)];
    assert.deepEqual(decide(ledger, fold(ledger, removed), drop), dropped(false).slice(1));
  });

  const drop = (notified: boolean) => ({
    command: { type: 'Drop', data: { ...inBlock, notified } } as const,
    when: cells({
      pending: dropped(notified),
      open: dropped(true),
      closed: dropped(true),
      confirmed: dropped(true),
      'pending again': dropped(notified),
      'pending again before its correction': dropped(true),
      'pending again after its correction': dropped(notified),
      'confirmed again': dropped(true),
      'confirmed again together with its correction': dropped(true),
      'open again together with its correction': dropped(true),
      unread: dropped(true),
      'unread and open': dropped(true),
      'unread and closed': dropped(true),
      'read and still open': dropped(true),
      'unread before its correction': dropped(true),
    }),
  });
  check<LedgerCommand, LedgerEvent, Ledger, keyof typeof states>(ledger, {
    states,
    rows: [
      {
        asks: 'Observe',
        command: { type: 'Observe', data: { ...inBlock, transfers, touches } },
        when: cells({
          unknown: observed,
          dropped: observed,
          due: observed,
          'due because a webhook may have reported it': observed,
          corrected: observed,
          'due again': observed,
          'due before it was read': observed,
        }),
      },
      {
        asks: 'Observe without transfers and touches',
        command: { type: 'Observe', data: { ...inBlock, transfers: [], touches: [] } },
        when: { otherwise: nothing },
      },
      {
        asks: 'Confirm',
        command: { type: 'Confirm', data: { ...inBlock, open: false } },
        when: confirmation(unread),
      },
      {
        asks: 'Confirm while webhooks are to be notified',
        command: { type: 'Confirm', data: { ...inBlock, open: true } },
        when: confirmation(openlyUnread),
      },
      { asks: 'Settle of what was read before any drop', command: settleAfter(0), when: settled0(read) },
      { asks: 'Settle of what was read after one drop', command: settleAfter(1), when: settled1(read, reread) },
      {
        asks: 'Settle while webhooks are to be notified',
        command: settleAfter(0, { open: true }),
        when: settled0(read, activitySettledOpen),
      },
      {
        asks: 'Settle of what was read after two drops',
        command: settleAfter(2, { retracted: true }),
        when: cells({ 'due again': [...reread, activitySettled] }),
      },
      {
        asks: 'Settle of an activity that was indexed before its second drop',
        command: settleAfter(2),
        when: cells({}),
      },
      {
        asks: 'Settle of a dropped activity',
        command: settleAfter(1, { retracted: true }),
        when: corrected1(reread),
      },
      {
        asks: 'Settle without an answer of the node',
        command: settleAfter(1, { balances: [] }),
        when: settled1([], []),
      },
      {
        asks: 'Settle of a dropped activity without an answer of the node',
        command: settleAfter(1, { balances: [], retracted: true }),
        when: corrected1([]),
      },
      {
        asks: 'Settle with a balance that the contract does not tell',
        command: settleAfter(0, { aside: missing }),
        when: settled0([...read, ...setAside]),
      },
      ...[closed, closedForFeed].map((event) => ({
        asks: event === closed ? 'Close' : 'Close when no webhook was left to notify',
        command: { type: 'Close' as const, data: { ...inBlock, count: 2, feedOnly: event === closedForFeed } },
        when: cells({
          open: [event],
          'open again together with its correction': [event],
          'unread and open': [event],
          'read and still open': [event],
        }),
      })),
      { asks: 'Drop', ...drop(false) },
      { asks: 'Drop when a webhook may have reported it', ...drop(true) },
      { asks: 'Refresh', command: { type: 'Refresh', data: { ...inBlock, balances } }, when: cells(refreshed) },
      { asks: 'Await', command: { type: 'Await', data: { ...inBlock, holdings: balances } }, when: cells(awaited) },
      importRow,
    ],
  });

  it('contains the balances of own and touched addresses, and none of a failed transfer', () =>
    assert.deepEqual(fold(ledger, observed).holdings, [
      { address: '0xaa', asset: native },
      { address: '0xbb', asset: native },
      { address: '0xdd', asset: native },
    ]));
  it('is confirmed in one step if no balance needs to be read', () => {
    const failed = fold(ledger, observed.slice(1, 2));
    assert.deepEqual(
      decide(ledger, failed, { type: 'Confirm', data: { ...inBlock, open: false } }).at(-1),
      activitySettled,
    );
  });
  it('requires correction until the balances are read, not only until it is confirmed', () => {
    assert.equal(fold(ledger, states['unread before its correction']).owed, true);
    assert.equal(fold(ledger, states['due before it was read']).unread, false);
  });
  it('is open until all webhooks were notified', () => {
    assert.equal(fold(ledger, states.open).phase, 'open');
    assert.deepEqual(fold(ledger, states.closed), fold(ledger, states.confirmed));
  });
});
