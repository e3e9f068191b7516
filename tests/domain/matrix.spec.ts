import assert from 'node:assert/strict';
import { address } from '../../domain/address.js';
import { credential } from '../../domain/credential.js';
import { fold } from '../../domain/decider.js';
import { checkDomain, domainName } from '../../domain/domain-name.js';
import { checkName, organization } from '../../domain/organization.js';
import { wallet } from '../../domain/wallet.js';
import { check, emits, nothing, refused } from '../support/matrix.js';

describe('organization', () => {
  const data = { organizationId: 'org_1', name: 'Acme', domain: 'acme' };
  const created = { type: 'OrganizationCreated', data } as const;
  const limited = (chain: string, month = 4) => {
    const limits = { second: 1, hour: 2, day: 3, month };
    return { type: 'RateLimitSet', data: { organizationId: 'org_1', chain, limits } } as const;
  };
  const unlimited = (chain: string) =>
    ({ type: 'RateLimitDeleted', data: { organizationId: 'org_1', chain } }) as const;
  const taken = refused('ALREADY_EXISTS', 'organization org_1 already exists');
  const unknown = refused('NOT_FOUND', 'there is no organization org_1');
  check(organization, {
    pasts: {
      none: [],
      created: [created],
      'a chain is limited': [created, limited('X')],
      'chains and the rest are limited': [created, limited('X'), limited('Y'), limited('')],
      'a limit was deleted': [created, limited('X'), unlimited('X')],
    },
    rows: [
      ['Create', { type: 'Create', data }, emits(created), taken, taken, taken, taken],
      [
        'RequireExisting',
        { type: 'RequireExisting', data: { organizationId: 'org_1' } },
        unknown,
        nothing,
        nothing,
        nothing,
        nothing,
      ],
      [
        'SetRateLimit',
        { type: 'SetRateLimit', data: limited('X').data },
        unknown,
        emits(limited('X')),
        nothing,
        nothing,
        emits(limited('X')),
      ],
      [
        'SetRateLimit with another figure',
        { type: 'SetRateLimit', data: limited('X', 9).data },
        unknown,
        ...Array(4).fill(emits(limited('X', 9))),
      ],
      [
        'DeleteRateLimit of a chain',
        { type: 'DeleteRateLimit', data: { organizationId: 'org_1', chain: 'X' } },
        unknown,
        nothing,
        emits(unlimited('X')),
        emits(unlimited('X')),
        nothing,
      ],
      [
        'DeleteRateLimit of all',
        { type: 'DeleteRateLimit', data: { organizationId: 'org_1', chain: undefined } },
        unknown,
        nothing,
        emits(unlimited('X')),
        emits(unlimited('X'), unlimited('Y'), unlimited('')),
        nothing,
      ],
    ],
  });

  const sentence = { name: 'Failure', code: 'INVALID_ARGUMENT', message: /^an organization's name has 1 to 100 char/ };
  const good = {
    'one character': 'x',
    '100 characters': 'x'.repeat(100),
    'words and signs': 'Acme & Söhne',
    'other scripts': '株式会社',
  };
  for (const [what, name] of Object.entries(good))
    it(`may have a name of ${what}`, () => assert.doesNotThrow(() => checkName(name)));
  it('may have a name of 100 characters that take two UTF-16 units each', () =>
    assert.doesNotThrow(() => checkName('🦊'.repeat(100))));
  const bad = { 'no character': '', '101 characters': 'x'.repeat(101), NUL: '\0', 'a NUL inside': 'Ac\0me' };
  for (const [what, name] of Object.entries(bad))
    it(`may not have a name of ${what}`, () => assert.throws(() => checkName(name), sentence));
});

describe('domain name', () => {
  const data = { domain: 'acme', organizationId: 'org_1' };
  const reserved = { type: 'DomainReserved', data } as const;
  const elsewhere = { ...reserved, data: { ...data, organizationId: 'org_2' } };
  check(domainName, {
    pasts: { free: [], 'held by the same organization': [reserved], 'held by another organization': [elsewhere] },
    rows: [
      [
        'Reserve',
        { type: 'Reserve', data },
        emits(reserved),
        nothing,
        refused('ALREADY_EXISTS', 'the domain acme is taken'),
      ],
    ],
  });

  const sentence = { name: 'Failure', code: 'INVALID_ARGUMENT', message: /^domain must be 1 to 50 of a-z and 0-9/ };
  const fifty = `${'a'.repeat(24)}-${'9'.repeat(25)}`;
  for (const good of ['a', '0', 'acme', 'a-b', 'a-1-b-2', '007', fifty])
    it(`may be ${good}`, () => assert.doesNotThrow(() => checkDomain(good)));
  const misspelt = ['-', '-a', 'a-', 'a--b', 'Acme', 'a.b', 'a_b', 'a b', ' a', 'a\n', 'a\0', 'é', 'ａ'];
  for (const bad of ['', `${fifty}a`, 'a'.repeat(51), ...misspelt])
    it(`may not be ${JSON.stringify(bad)}`, () => assert.throws(() => checkDomain(bad), sentence));
});

describe('credential', () => {
  const data = { apiKey: 'ck_1', role: 'admin', sealedSecret: 'sealed' } as const;
  const issued = { type: 'CredentialIssued', data } as const;
  const deleted = { type: 'CredentialDeleted', data: { apiKey: 'ck_1' } } as const;
  const again = refused('ALREADY_EXISTS', 'this api_key was issued before');
  check(credential, {
    pasts: { none: [], active: [issued], deleted: [issued, deleted] },
    rows: [
      ['Issue', { type: 'Issue', data }, emits(issued), again, again],
      [
        'Delete',
        { type: 'Delete', data: deleted.data },
        refused('NOT_FOUND', 'there is no such credential'),
        emits(deleted),
        nothing,
      ],
    ],
  });

  it('keeps what authentication needs while it is active', () =>
    assert.deepEqual(fold(credential, [issued]), { state: 'active', role: 'admin', sealedSecret: 'sealed' }));
  it('forgets the sealed secret when it is deleted', () =>
    assert.deepEqual(fold(credential, [issued, deleted]), { state: 'deleted' }));
});

describe('wallet', () => {
  const data = { walletId: 'wal_1', name: 'main', confirmation: 3, importAsset: true } as const;
  const bare = { walletId: 'wal_1', name: 'main' };
  const registered = { type: 'WalletRegistered', data } as const;
  const without = { type: 'WalletRegistered', data: bare } as const;
  const change = (confirmation: number) => ({ walletId: 'wal_1', confirmation });
  const updated = (confirmation: number) => ({ type: 'ConfirmationUpdated', data: change(confirmation) }) as const;
  const missing = refused('NOT_FOUND', 'there is no wallet wal_1');
  const taken = refused('ALREADY_EXISTS', 'wallet wal_1 already exists');
  const ask = (confirmation: number) => ({ type: 'UpdateConfirmation', data: change(confirmation) }) as const;
  check(wallet, {
    pasts: {
      none: [],
      'registered with confirmation 3': [registered],
      'registered without confirmation': [without],
      'updated from 3 to 0': [registered, updated(0)],
      'updated from none to 3': [without, updated(3)],
    },
    rows: [
      ['Register with confirmation', { type: 'Register', data }, emits(registered), nothing, nothing, nothing, nothing],
      [
        'Register without confirmation',
        { type: 'Register', data: bare },
        emits(without),
        nothing,
        nothing,
        nothing,
        nothing,
      ],
      [
        'Register under another name',
        { type: 'Register', data: { ...data, name: 'other' } },
        emits({ type: 'WalletRegistered', data: { ...data, name: 'other' } } as const),
        taken,
        taken,
        taken,
        taken,
      ],
      ['UpdateConfirmation to 3', ask(3), missing, nothing, emits(updated(3)), emits(updated(3)), nothing],
      ['UpdateConfirmation to 0', ask(0), missing, emits(updated(0)), emits(updated(0)), nothing, emits(updated(0))],
      [
        'RequireRegistered',
        { type: 'RequireRegistered', data: { walletId: 'wal_1' } },
        missing,
        nothing,
        nothing,
        nothing,
        nothing,
      ],
    ],
  });

  it('has the confirmation it was registered with', () =>
    assert.deepEqual(fold(wallet, [registered]), { state: 'registered', name: 'main', confirmation: 3 }));
  it('has no confirmation where its variant has none', () =>
    assert.deepEqual(fold(wallet, [without]), { state: 'registered', name: 'main', confirmation: null }));
  it('keeps its name when its confirmation changes', () =>
    assert.deepEqual(fold(wallet, [registered, updated(0)]), { state: 'registered', name: 'main', confirmation: 0 }));
  it('does not come to be by a change of its confirmation', () =>
    assert.deepEqual(fold(wallet, [updated(3)]), { state: 'none' }));
});

describe('address', () => {
  const data = { address: '0xab', walletId: 'wal_1', importAsset: true } as const;
  const plain = { address: '0xab', walletId: 'wal_1' };
  const theirs = { address: '0xab', walletId: 'wal_2' };
  const registered = { type: 'AddressRegistered', data } as const;
  const elsewhere = { type: 'AddressRegistered', data: theirs } as const;
  const removed = { type: 'AddressRemoved', data: plain } as const;
  const ofToken = { ...plain, asset: { standard: 'token', contract: '0xcc' }, account: '0xdd' } as const;
  const imported = { type: 'AssetImported', data: ofToken } as const;
  const imports = { type: 'Import', data: ofToken } as const;
  const taken = refused('ALREADY_EXISTS', '0xab is held by another wallet');
  const foreign = refused('NOT_FOUND', 'the wallet does not hold 0xab');
  check(address, {
    pasts: {
      free: [],
      'held by wal_1': [registered],
      'held by wal_2': [elsewhere],
      removed: [registered, removed],
      'moved to wal_2': [registered, removed, elsewhere],
      'its token imported': [registered, imported],
      'back without what was imported': [registered, imported, removed, registered],
    },
    rows: [
      [
        'Register for wal_1 with its assets',
        { type: 'Register', data },
        emits(registered),
        nothing,
        taken,
        emits(registered),
        taken,
        nothing,
        nothing,
      ],
      [
        'Register for wal_1',
        { type: 'Register', data: plain },
        emits({ type: 'AddressRegistered', data: plain } as const),
        nothing,
        taken,
        emits({ type: 'AddressRegistered', data: plain } as const),
        taken,
        nothing,
        nothing,
      ],
      [
        'Remove from wal_1',
        { type: 'Remove', data: plain },
        nothing,
        emits(removed),
        nothing,
        nothing,
        nothing,
        emits(removed),
        emits(removed),
      ],
      ['Import', imports, foreign, emits(imported), foreign, foreign, foreign, nothing, emits(imported)],
    ],
  });
});
