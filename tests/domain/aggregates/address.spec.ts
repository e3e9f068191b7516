import { address } from '../../../domain/aggregates/address.js';
import { check, emits, nothing, refused } from '../../support/histories/matrix.js';

describe('an address', () => {
  const data = { address: '0xab', walletId: 'wal_1', importAsset: true } as const;
  const plain = { address: '0xab', walletId: 'wal_1' };
  const theirs = { address: '0xab', walletId: 'wal_2' };
  const registered = { type: 'AddressRegistered', data } as const;
  const elsewhere = { type: 'AddressRegistered', data: theirs } as const;
  const removed = { type: 'AddressRemoved', data: plain } as const;
  const ofToken = { ...plain, asset: { standard: 'token', contract: '0xcc' }, account: '0xdd' } as const;
  const imported = { type: 'AssetImported', data: { ...ofToken, counted: true } } as const;
  const uncounted = { type: 'AssetImported', data: ofToken } as const;
  const removedWithImport = { type: 'AddressRemoved', data: { ...plain, imports: 1 } } as const;
  const imports = { type: 'Import', data: ofToken } as const;
  const accountFound = { type: 'TokenAccountFound', data: ofToken } as const;
  const taken = refused('ALREADY_EXISTS', 'Address 0xab is held by another wallet');
  const foreign = refused('NOT_FOUND', 'Address not found in wallet wal_1: 0xab');
  const plainly = { type: 'AddressRegistered', data: plain } as const;
  const others = { 'held by wal_2': taken, 'moved to wal_2': taken };
  check(address, {
    states: {
      free: [],
      'held by wal_1': [registered],
      'held by wal_2': [elsewhere],
      removed: [registered, removed],
      'moved to wal_2': [registered, removed, elsewhere],
      'held by wal_1 with its token imported': [registered, imported],
      'registered again after its token was imported': [registered, imported, removedWithImport, registered],
      'held by wal_1 with its token imported before imports had a quota': [registered, uncounted],
      'held by wal_1 with the account of its token found': [registered, accountFound],
      'registered again after the account was found': [registered, accountFound, removed, registered],
    },
    rows: [
      {
        asks: 'Register for wal_1 with its assets',
        command: { type: 'Register', data },
        when: { ...others, free: emits(registered), removed: emits(registered), otherwise: nothing },
      },
      {
        asks: 'Register for wal_1',
        command: { type: 'Register', data: plain },
        when: { ...others, free: emits(plainly), removed: emits(plainly), otherwise: nothing },
      },
      {
        asks: 'Remove from wal_1',
        command: { type: 'Remove', data: plain },
        when: {
          'held by wal_1': emits(removed),
          'held by wal_1 with its token imported': emits(removedWithImport),
          'registered again after its token was imported': emits(removed),
          'held by wal_1 with its token imported before imports had a quota': emits(removed),
          'held by wal_1 with the account of its token found': emits(removed),
          'registered again after the account was found': emits(removed),
          otherwise: nothing,
        },
      },
      {
        asks: 'Import',
        command: imports,
        when: {
          'held by wal_1': emits(imported),
          'held by wal_1 with its token imported': nothing,
          'held by wal_1 with its token imported before imports had a quota': nothing,
          'registered again after its token was imported': emits(imported),
          'held by wal_1 with the account of its token found': emits(imported),
          'registered again after the account was found': emits(imported),
          otherwise: foreign,
        },
      },
      {
        asks: 'NoteAccount',
        command: { type: 'NoteAccount', data: ofToken },
        when: {
          'held by wal_1': emits(accountFound),
          'held by wal_1 with its token imported': emits(accountFound),
          'held by wal_1 with its token imported before imports had a quota': emits(accountFound),
          'registered again after its token was imported': emits(accountFound),
          'registered again after the account was found': emits(accountFound),
          otherwise: nothing,
        },
      },
    ],
  });
});
