import assert from 'node:assert/strict';
import { type LedgerCommand, type LedgerEvent, ledger } from '../../../../domain/aggregates/ledger.js';
import { decide, fold } from '../../../../domain/decider.js';
import { specification } from '../../../support/histories/given.js';
import {
  at,
  balances,
  confirmed,
  dropped,
  imported,
  inBlock,
  observed,
  openlyUnread,
  settled,
  settledOpen,
  touches,
  transfers,
  unread,
  unsettledBlock,
} from '../../../support/histories/ledger-events.js';

const given = specification(ledger);
const importOf = (data: Pick<Extract<LedgerCommand, { type: 'Import' }>['data'], 'transfers' | 'touches'>) =>
  ({ type: 'Import', data: { ...inBlock, ...data } }) as const;

describe('an import into a block that another address of the wallet is in', () => {
  const fee = { address: '0xee', reason: 'fee', fees: [{ transaction: '0xt9', value: '1' }] };
  const [paid, reverted] = transfers as [(typeof transfers)[number], (typeof transfers)[number]];
  const ofOther = importOf({ transfers: [{ ...reverted, own: ['0xbb'] }], touches: [fee] });
  const added: LedgerEvent[] = [
    { type: 'TransferObserved', data: { ...inBlock, ...reverted, own: ['0xaa', '0xbb'], imported: true } },
    { type: 'BalanceTouched', data: { ...inBlock, ...fee, asset: { standard: 'native' }, imported: true } },
  ];
  const settledStates = {
    confirmed: [...observed, ...settled],
    unread: [...observed, ...confirmed, unread],
    imported,
  };
  for (const [state, past] of Object.entries(settledStates)) {
    it(`adds the address to the transfers of one that is ${state}, once`, () => {
      given(...past)
        .when(ofOther)
        .thenEmits(...added);
      given(...past, ...added)
        .when(ofOther)
        .thenNothing();
    });
    it(`keeps what one that is ${state} still has to do`, () => {
      const [before, after] = [fold(ledger, past), fold(ledger, [...past, ...added])];
      assert.deepEqual([after.phase, after.unread, after.owed], ['confirmed', before.unread, before.owed]);
      assert.deepEqual([after.transfers.length, after.notified], [2, 2]);
    });
  }
  const busyStates = {
    pending: observed,
    open: [...observed, ...settledOpen],
    'unread and open': [...observed, ...confirmed, openlyUnread],
    due: [...observed, ...settled, ...dropped(true)],
  };
  for (const [state, past] of Object.entries(busyStates))
    it(`is rejected while the block is ${state}`, () =>
      given(...past)
        .when(ofOther)
        .thenRefused(unsettledBlock.refused, unsettledBlock.message));
  it('records a dropped block that came back as if it were new', () =>
    given(...observed, ...dropped(false))
      .when(importOf({ transfers: [paid], touches: [] }))
      .thenEmits(...imported.slice(0, 1)));
});

describe('an imported block', () => {
  it('continues after an append that stored only part of it', () => {
    for (const stored of imported.keys())
      given(...imported.slice(0, stored))
        .when(importOf({ transfers, touches }))
        .thenEmits(...imported.slice(stored));
  });
  it('has nothing to confirm, to settle, to notify or to observe', () => {
    const commands: readonly LedgerCommand[] = [
      { type: 'Observe', data: { ...inBlock, transfers, touches } },
      { type: 'Confirm', data: { ...inBlock, open: true } },
      { type: 'Settle', data: { ...inBlock, balances, aside: [], at, drops: 0, open: true, retracted: false } },
      { type: 'Close', data: { ...inBlock, count: 2 } },
    ];
    for (const command of commands)
      given(...imported)
        .when(command)
        .thenNothing();
  });
  it('has its transfers removed and its balances read again when it is replaced', () => {
    const drop = { type: 'Drop', data: { ...inBlock, notified: false } } as const;
    assert.deepEqual(decide(ledger, fold(ledger, imported), drop), dropped(true));
  });
});
