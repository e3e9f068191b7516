import { type RefreshPartEvent, refresh, refreshPart } from '../../../domain/aggregates/refresh.js';
import { removal } from '../../../domain/aggregates/removal.js';
import { check, emits, nothing } from '../../support/histories/matrix.js';

const at = { number: 7, hash: '0x7', chain: '0x0' };
const after = { position: 100, address: '0xaa' };
const ofJob = { refreshId: 'ref_1', walletId: 'wal_1', standard: 'native' } as const;
const data = { ...ofJob, total: 300, done: 100, at, after };
const started = { type: 'RefreshStarted', data } as const;
const restarted = {
  type: 'RefreshStarted',
  data: { ...data, refreshId: 'ref_2', done: 0, after: null, correction: true },
} as const;
const ended = { type: 'RefreshEnded', data: ofJob } as const;

describe('a refresh of a wallet', () => {
  check(refresh, {
    states: {
      idle: [],
      running: [started],
      'started again': [started, restarted],
      ended: [started, ended],
    },
    rows: [
      {
        asks: 'Start',
        command: { type: 'Start', data },
        when: { idle: emits(started), ended: emits(started), otherwise: nothing },
      },
      {
        asks: 'Restart of the first one',
        command: { type: 'Restart', data: { ...restarted.data, replaces: 'ref_1' } },
        when: { running: emits(restarted), otherwise: nothing },
      },
      {
        asks: 'End of the first one',
        command: { type: 'End', data: ofJob },
        when: { running: emits(ended), otherwise: nothing },
      },
    ],
  });
});

describe('a part of a refresh', () => {
  const asset = { standard: 'native' } as const;
  const balance = { walletId: 'wal_1', address: '0xaa', asset, balance: '5', at };
  const advanced = { ...ofJob, part: 1, done: 200, at, after };
  const refreshed = { type: 'BalanceRefreshed', data: balance } as RefreshPartEvent;
  const moved = { type: 'RefreshAdvanced', data: advanced } as RefreshPartEvent;
  check(refreshPart, {
    states: { 'not stored': [], stored: [refreshed, moved] },
    rows: [
      {
        asks: 'Record',
        command: { type: 'Record', data: { balances: [balance], advanced } },
        when: { 'not stored': emits<RefreshPartEvent>(refreshed, moved), stored: nothing },
      },
      {
        asks: 'Record of balances alone',
        command: { type: 'Record', data: { balances: [balance] } },
        when: { 'not stored': emits(refreshed), stored: nothing },
      },
      {
        asks: 'Record of a part in which nothing changed',
        command: { type: 'Record', data: { balances: [], advanced } },
        when: { 'not stored': emits(moved), stored: nothing },
      },
    ],
  });
});

describe('a removal of all addresses', () => {
  const started = (upTo: number) => ({ type: 'RemovalStarted', data: { walletId: 'wal_1', upTo } }) as const;
  const ended = { type: 'RemovalEnded', data: { walletId: 'wal_1', upTo: 7 } } as const;
  check(removal, {
    states: {
      'not requested': [],
      running: [started(7)],
      'running up to a later position': [started(7), started(8)],
      ended: [started(7), ended],
    },
    rows: [
      {
        asks: 'Start',
        command: { type: 'Start', data: started(7).data },
        when: { 'not requested': emits(started(7)), ended: emits(started(7)), otherwise: nothing },
      },
      {
        asks: 'Start up to a later position',
        command: { type: 'Start', data: started(8).data },
        when: { 'running up to a later position': nothing, otherwise: emits(started(8)) },
      },
      { asks: 'End', command: { type: 'End', data: ended.data }, when: { running: emits(ended), otherwise: nothing } },
    ],
  });
});
