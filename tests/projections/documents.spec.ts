import assert from 'node:assert/strict';
import { addresses } from '../../projections/addresses.js';
import { credentials } from '../../projections/credentials.js';
import { organizations } from '../../projections/organizations.js';
import { wallets } from '../../projections/wallets.js';
import { about, hour, project } from '../support/project.js';

const address = '0xab';
const held = { type: 'AddressRegistered', data: { address, walletId: 'wal_1' } } as const;
const imported = { type: 'AddressRegistered', data: { ...held.data, importAsset: true } } as const;
const removed = { type: 'AddressRemoved', data: held.data } as const;

describe('organizations projection', () => {
  const data = { organizationId: 'org_1', name: 'Acme', domain: 'acme' };
  const created = { type: 'OrganizationCreated', data } as const;

  it('shows a created organization', () =>
    assert.deepEqual(project(organizations, [created]), {
      organization_id: 'org_1',
      name: 'Acme',
      domain: 'acme',
      create_time: hour(1),
      update_time: hour(1),
      position: 10,
    }));
  it('is found by everybody, under the id of the organization', () => {
    assert.equal(organizations.scope(about(1)), 'system');
    assert.equal(organizations.key(created), 'org_1');
  });
});

describe('credentials projection', () => {
  const data = { apiKey: 'ck_1', role: 'client', sealedSecret: 'sealed' } as const;
  const issued = { type: 'CredentialIssued', data } as const;
  const deleted = { type: 'CredentialDeleted', data: { apiKey: 'ck_1' } } as const;

  it('shows an issued credential without its secret', () =>
    assert.deepEqual(project(credentials, [issued]), {
      api_key: 'ck_1',
      role: 'client',
      create_time: hour(1),
      position: 10,
    }));
  it('shows a deleted credential no more', () => assert.equal(project(credentials, [issued, deleted]), null));
  it('belongs to its organization, under the api key', () => {
    assert.equal(credentials.scope(about(1)), 'org_1/S');
    assert.equal(credentials.key(issued), 'ck_1');
    assert.equal(credentials.key(deleted), 'ck_1');
  });
});

describe('wallets projection', () => {
  const bare = { type: 'WalletRegistered', data: { walletId: 'wal_1', name: 'main' } } as const;
  const registered = { ...bare, data: { ...bare.data, confirmation: 3, importAsset: true } } as const;
  const updated = { type: 'ConfirmationUpdated', data: { walletId: 'wal_1', confirmation: 0 } } as const;
  const shown = { wallet_id: 'wal_1', name: 'main', create_time: hour(1), update_time: hour(1), position: 10 };

  it('shows a registered wallet with its confirmation', () =>
    assert.deepEqual(project(wallets, [registered]), { ...shown, confirmation: 3 }));
  it('shows a wallet without confirmation where its variant has none', () =>
    assert.deepEqual(project(wallets, [bare]), shown));
  it('shows a confirmation of zero', () =>
    assert.deepEqual(project(wallets, [{ ...bare, data: { ...bare.data, confirmation: 0 } }]), {
      ...shown,
      confirmation: 0,
    }));
  it('shows a changed confirmation and when it changed, in the same place of the list', () =>
    assert.deepEqual(project(wallets, [registered, updated]), { ...shown, confirmation: 0, update_time: hour(2) }));
  it('shows a confirmation that came later', () =>
    assert.deepEqual(project(wallets, [bare, updated]), { ...shown, confirmation: 0, update_time: hour(2) }));
  it('moves the update time and nothing else when an address is registered', () =>
    assert.deepEqual(project(wallets, [registered, imported]), { ...shown, confirmation: 3, update_time: hour(2) }));
  it('moves the update time and nothing else when an address is removed', () =>
    assert.deepEqual(project(wallets, [bare, held, removed]), { ...shown, update_time: hour(3) }));
  for (const event of [updated, held, removed])
    it(`makes no wallet of ${event.type} alone`, () => assert.equal(project(wallets, [event]), null));
  it('belongs to its organization and variant, under the wallet id of every event', () => {
    assert.equal(wallets.scope(about(1)), 'org_1/S');
    assert.deepEqual([bare, updated, held, removed].map(wallets.key), ['wal_1', 'wal_1', 'wal_1', 'wal_1']);
  });
});

describe('addresses projection', () => {
  const moved = { type: 'AddressRegistered', data: { address, walletId: 'wal_2' } } as const;

  for (const [how, event] of Object.entries({ registered: held, 'registered with its assets': imported }))
    it(`shows an address ${how}`, () =>
      assert.deepEqual(project(addresses, [event]), { address, wallet_id: 'wal_1', position: 10 }));
  it('shows a removed address no more', () => assert.equal(project(addresses, [held, removed]), null));
  it('makes no address of a removal alone', () => assert.equal(project(addresses, [removed]), null));
  it('shows an address that moved in its new wallet, as new there', () =>
    assert.deepEqual(project(addresses, [held, removed, moved]), { address, wallet_id: 'wal_2', position: 30 }));
  it('belongs to its organization and variant, under the address', () => {
    assert.equal(addresses.scope(about(1)), 'org_1/S');
    assert.deepEqual([held, removed].map(addresses.key), [address, address]);
  });
});
