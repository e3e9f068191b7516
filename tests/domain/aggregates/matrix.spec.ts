import assert from 'node:assert/strict';
import { session } from '../../../domain/aggregates/access/session.js';
import { credential } from '../../../domain/aggregates/credential.js';
import { checkDomain, domainName } from '../../../domain/aggregates/domain-name.js';
import { type GatewayKeys, gatewayToken } from '../../../domain/aggregates/gateway/gateway-token.js';
import { checkName, organization } from '../../../domain/aggregates/organization.js';
import { wallet } from '../../../domain/aggregates/wallet.js';
import { fold } from '../../../domain/decider.js';
import { check, emits, nothing, refused } from '../../support/histories/matrix.js';

describe('an organization', () => {
  const data = { organizationId: 'org_1', name: 'Acme', domain: 'acme' };
  const created = { type: 'OrganizationCreated', data } as const;
  const limited = (chain: string, month = 4) => {
    const limits = { second: 1, hour: 2, day: 3, month };
    return { type: 'RateLimitSet', data: { organizationId: 'org_1', chain, limits } } as const;
  };
  const unlimited = (chain: string) =>
    ({ type: 'RateLimitDeleted', data: { organizationId: 'org_1', chain } }) as const;
  const quota = (limit: number) =>
    ({ type: 'QuotaSet', data: { organizationId: 'org_1', quota: 'wallets', limit } }) as const;
  const keys = (gatewayKeys: GatewayKeys) =>
    ({ type: 'GatewayKeysSet', data: { organizationId: 'org_1', gatewayKeys } }) as const;
  const taken = refused('ALREADY_EXISTS', 'Organization already exists: org_1');
  const unknown = refused('NOT_FOUND', 'Organization not found: org_1');
  check(organization, {
    states: {
      unknown: [],
      unlimited: [created],
      'limited on one chain': [created, limited('X')],
      'limited on two chains and by default': [created, limited('X'), limited('Y'), limited('')],
      'unlimited again': [created, limited('X'), unlimited('X')],
      'given a quota': [created, quota(5)],
      'restricted to gateway tokens': [created, keys('tokens')],
    },
    rows: [
      { asks: 'Create', command: { type: 'Create', data }, when: { unknown: emits(created), otherwise: taken } },
      {
        asks: 'RequireExisting',
        command: { type: 'RequireExisting', data: { organizationId: 'org_1' } },
        when: { unknown, otherwise: nothing },
      },
      {
        asks: 'SetRateLimit',
        command: { type: 'SetRateLimit', data: limited('X').data },
        when: {
          unknown,
          unlimited: emits(limited('X')),
          'limited on one chain': nothing,
          'limited on two chains and by default': nothing,
          'unlimited again': emits(limited('X')),
          'given a quota': emits(limited('X')),
          'restricted to gateway tokens': emits(limited('X')),
        },
      },
      {
        asks: 'SetRateLimit to another value',
        command: { type: 'SetRateLimit', data: limited('X', 9).data },
        when: { unknown, otherwise: emits(limited('X', 9)) },
      },
      {
        asks: 'DeleteRateLimit of a chain',
        command: { type: 'DeleteRateLimit', data: { organizationId: 'org_1', chain: 'X' } },
        when: {
          unknown,
          'limited on one chain': emits(unlimited('X')),
          'limited on two chains and by default': emits(unlimited('X')),
          otherwise: nothing,
        },
      },
      {
        asks: 'DeleteRateLimit of all chains',
        command: { type: 'DeleteRateLimit', data: { organizationId: 'org_1', chain: undefined } },
        when: {
          unknown,
          'limited on one chain': emits(unlimited('X')),
          'limited on two chains and by default': emits(unlimited('X'), unlimited('Y'), unlimited('')),
          otherwise: nothing,
        },
      },
      {
        asks: 'SetQuota',
        command: { type: 'SetQuota', data: quota(5).data },
        when: { unknown, 'given a quota': nothing, otherwise: emits(quota(5)) },
      },
      {
        asks: 'SetQuota to another value',
        command: { type: 'SetQuota', data: quota(0).data },
        when: { unknown, otherwise: emits(quota(0)) },
      },
      {
        asks: 'SetGatewayKeys to tokens',
        command: { type: 'SetGatewayKeys', data: keys('tokens').data },
        when: { unknown, 'restricted to gateway tokens': nothing, otherwise: emits(keys('tokens')) },
      },
      {
        asks: 'SetGatewayKeys to api_key',
        command: { type: 'SetGatewayKeys', data: keys('api_key').data },
        when: { unknown, 'restricted to gateway tokens': emits(keys('api_key')), otherwise: nothing },
      },
    ],
  });

  const sentence = { name: 'Failure', code: 'INVALID_ARGUMENT', message: /^name must have 1 to 100 characters/ };
  const good = {
    'one character': 'x',
    '100 characters': 'x'.repeat(100),
    'words and signs': 'Acme & Söhne',
    'letters of other scripts': '株式会社',
  };
  for (const [kind, name] of Object.entries(good))
    it(`may have a name of ${kind}`, () => assert.doesNotThrow(() => checkName(name)));
  it('may have a name of 100 characters that take two UTF-16 units each', () =>
    assert.doesNotThrow(() => checkName('🦊'.repeat(100))));
  const bad = { 'no character': '', '101 characters': 'x'.repeat(101), NUL: '\0', 'letters around a NUL': 'Ac\0me' };
  for (const [kind, name] of Object.entries(bad))
    it(`may not have a name of ${kind}`, () => assert.throws(() => checkName(name), sentence));
});

describe('a domain name', () => {
  const data = { domain: 'acme', organizationId: 'org_1' };
  const reserved = { type: 'DomainReserved', data } as const;
  const elsewhere = { ...reserved, data: { ...data, organizationId: 'org_2' } };
  check(domainName, {
    states: { free: [], 'held by the same organization': [reserved], 'held by another organization': [elsewhere] },
    rows: [
      {
        asks: 'Reserve',
        command: { type: 'Reserve', data },
        when: {
          free: emits(reserved),
          'held by the same organization': nothing,
          'held by another organization': refused('ALREADY_EXISTS', 'Domain already taken: acme'),
        },
      },
    ],
  });

  const sentence = {
    name: 'Failure',
    code: 'INVALID_ARGUMENT',
    message: /^domain must be 1 to 50 characters of a-z and 0-9/,
  };
  const fifty = `${'a'.repeat(24)}-${'9'.repeat(25)}`;
  for (const good of ['a', '0', 'acme', 'a-b', 'a-1-b-2', '007', fifty])
    it(`may be ${good}`, () => assert.doesNotThrow(() => checkDomain(good)));
  const misspelt = ['-', '-a', 'a-', 'a--b', 'Acme', 'a.b', 'a_b', 'a b', ' a', 'a\n', 'a\0', 'é', 'ａ'];
  for (const bad of ['', `${fifty}a`, 'a'.repeat(51), ...misspelt])
    it(`may not be ${JSON.stringify(bad)}`, () => assert.throws(() => checkDomain(bad), sentence));
});

describe('a credential', () => {
  const data = { apiKey: 'ck_1', role: 'admin', sealedSecret: 'sealed' } as const;
  const issued = { type: 'CredentialIssued', data } as const;
  const deleted = { type: 'CredentialDeleted', data: { apiKey: 'ck_1' } } as const;
  const again = refused('ALREADY_EXISTS', 'A credential with this api_key already exists');
  const missing = refused('NOT_FOUND', 'Credential not found. Check the api_key.');
  check(credential, {
    states: { unknown: [], active: [issued], deleted: [issued, deleted] },
    rows: [
      { asks: 'Issue', command: { type: 'Issue', data }, when: { unknown: emits(issued), otherwise: again } },
      {
        asks: 'Delete',
        command: { type: 'Delete', data: deleted.data },
        when: { unknown: missing, active: emits(deleted), deleted: nothing },
      },
    ],
  });

  it('has its role and sealed secret for authentication while it is active', () =>
    assert.deepEqual(fold(credential, [issued]), { state: 'active', role: 'admin', sealedSecret: 'sealed' }));
  it('forgets the sealed secret when it is deleted', () =>
    assert.deepEqual(fold(credential, [issued, deleted]), { state: 'deleted' }));
});

describe('a gateway token', () => {
  const data = { gatewayTokenId: 'gtk_1', name: 'page', methods: ['evm_call'], sealedId: 'sealed' };
  const created = { type: 'GatewayTokenCreated', data } as const;
  const deleted = { type: 'GatewayTokenDeleted', data: { gatewayTokenId: 'gtk_1' } } as const;
  const again = refused('ALREADY_EXISTS', 'Gateway token already exists: gtk_1');
  const missing = refused('NOT_FOUND', 'Gateway token not found: gtk_1');
  check(gatewayToken, {
    states: { unknown: [], active: [created], deleted: [created, deleted] },
    rows: [
      { asks: 'Create', command: { type: 'Create', data }, when: { unknown: emits(created), otherwise: again } },
      {
        asks: 'Delete',
        command: { type: 'Delete', data: deleted.data },
        when: { active: emits(deleted), otherwise: missing },
      },
    ],
  });

  it('keeps its facts while it is active, and forgets them when it is deleted', () => {
    assert.deepEqual(fold(gatewayToken, [created]), { state: 'active', created: data });
    assert.deepEqual(fold(gatewayToken, [created, deleted]), { state: 'deleted' });
  });
});

describe('a session of the console', () => {
  const data = { sessionId: 'ses_1', apiKey: 'ck_1', expireTime: '2030-01-01T08:00:00.000Z' };
  const opened = { type: 'SessionOpened', data } as const;
  const closed = {
    type: 'SessionClosed',
    data: { sessionId: 'ses_1', apiKey: 'ck_1', reason: 'signed_out' },
  } as const;
  check(session, {
    states: { unknown: [], open: [opened], closed: [opened, closed] },
    rows: [
      {
        asks: 'Open',
        command: { type: 'Open', data },
        when: { unknown: emits(opened), otherwise: refused('ALREADY_EXISTS', 'Session already exists: ses_1') },
      },
      {
        asks: 'Close',
        command: { type: 'Close', data: closed.data },
        when: { open: emits(closed), otherwise: nothing },
      },
    ],
  });
});

describe('a wallet', () => {
  const data = { walletId: 'wal_1', name: 'main', confirmation: 3, importAsset: true } as const;
  const bare = { walletId: 'wal_1', name: 'main' };
  const registered = { type: 'WalletRegistered', data } as const;
  const without = { type: 'WalletRegistered', data: bare } as const;
  const change = (confirmation: number) => ({ walletId: 'wal_1', confirmation });
  const updated = (confirmation: number) => ({ type: 'ConfirmationUpdated', data: change(confirmation) }) as const;
  const missing = refused('NOT_FOUND', 'Wallet not found: wal_1');
  const taken = refused('ALREADY_EXISTS', 'Wallet already exists: wal_1');
  const ask = (confirmation: number) => ({ type: 'UpdateConfirmation', data: change(confirmation) }) as const;
  check(wallet, {
    states: {
      unknown: [],
      'registered with confirmation 3': [registered],
      'registered without confirmation': [without],
      'updated from confirmation 3 to 0': [registered, updated(0)],
      'updated from no confirmation to 3': [without, updated(3)],
    },
    rows: [
      {
        asks: 'Register with confirmation',
        command: { type: 'Register', data },
        when: { unknown: emits(registered), otherwise: nothing },
      },
      {
        asks: 'Register without confirmation',
        command: { type: 'Register', data: bare },
        when: { unknown: emits(without), otherwise: nothing },
      },
      {
        asks: 'Register under another name',
        command: { type: 'Register', data: { ...data, name: 'other' } },
        when: {
          unknown: emits({ type: 'WalletRegistered', data: { ...data, name: 'other' } } as const),
          otherwise: taken,
        },
      },
      {
        asks: 'UpdateConfirmation to 3',
        command: ask(3),
        when: {
          unknown: missing,
          'registered with confirmation 3': nothing,
          'updated from no confirmation to 3': nothing,
          otherwise: emits(updated(3)),
        },
      },
      {
        asks: 'UpdateConfirmation to 0',
        command: ask(0),
        when: { unknown: missing, 'updated from confirmation 3 to 0': nothing, otherwise: emits(updated(0)) },
      },
      {
        asks: 'RequireRegistered',
        command: { type: 'RequireRegistered', data: { walletId: 'wal_1' } },
        when: { unknown: missing, otherwise: nothing },
      },
    ],
  });

  it('has the confirmation it was registered with', () =>
    assert.deepEqual(fold(wallet, [registered]), { state: 'registered', name: 'main', confirmation: 3 }));
  it('has no confirmation where its variant has none', () =>
    assert.deepEqual(fold(wallet, [without]), { state: 'registered', name: 'main', confirmation: null }));
  it('keeps its name when its confirmation changes', () =>
    assert.deepEqual(fold(wallet, [registered, updated(0)]), { state: 'registered', name: 'main', confirmation: 0 }));
  it('is not created by a change of its confirmation', () =>
    assert.deepEqual(fold(wallet, [updated(3)]), { state: 'none' }));
});
