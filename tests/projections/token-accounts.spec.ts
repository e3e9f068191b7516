import assert from 'node:assert/strict';
import { addresses, addressImports, departures, tokenAccounts } from '../../projections/addresses.js';
import { assetDocumentId } from '../../projections/assets.js';
import { registrations } from '../../projections/statements/registrations.js';
import { project } from '../support/histories/project.js';

const held = { address: '0:ab', walletId: 'wal_1' } as const;
const asset = { standard: 'token', contract: '0:m1' } as const;
const document = { address: held.address, wallet_id: held.walletId, asset };
const registered = { type: 'AddressRegistered', data: held } as const;
const removed = { type: 'AddressRemoved', data: held } as const;
const leaving = { type: 'AddressRemoved', data: { ...held, head: 7 } } as const;

describe('the tokens of an address', () => {
  const imported = { type: 'AssetImported', data: { ...held, asset, account: '0:w1' } } as const;
  const accountAt = (account: string) => ({ type: 'TokenAccountFound', data: { ...held, asset, account } }) as const;

  it('are documents of their own, each with the position of its latest event', () => {
    assert.deepEqual(project(addressImports, [imported]), { ...document, account: '0:w1', position: 10 });
    assert.deepEqual(project(tokenAccounts, [accountAt('0:w1'), accountAt('0:w2')]), {
      ...document,
      account: '0:w2',
      position: 20,
    });
    for (const { key } of [addressImports, tokenAccounts])
      assert.equal(key(imported as never), assetDocumentId(held.walletId, held.address, asset));
  });

  it('have no token account when the address itself holds them', () => {
    const own = { type: 'AssetImported', data: { ...held, asset } } as const;
    assert.deepEqual(project(addressImports, [own]), { ...document, position: 10 });
  });

  it('are rewritten neither by another import nor by the removal of the address', () => {
    const types = [addresses, departures].flatMap(({ on }) => Object.keys(on));
    for (const type of ['AssetImported', 'TokenAccountFound']) assert.ok(!types.includes(type), type);
    for (const { on } of [addressImports, tokenAccounts]) assert.ok(!Object.hasOwn(on, 'AddressRemoved'));
  });
});

describe('a removed address', () => {
  it('is kept with the height up to which its deposits count, until it is removed without one', () => {
    const gone = { address: held.address, wallet_id: held.walletId, head: 7 };
    assert.deepEqual(project(departures, [leaving]), gone);
    assert.equal(project(departures, [leaving, removed]), null);
  });

  it('has the position of its latest registration, after which its tokens count', () =>
    assert.deepEqual(
      [[registered], [registered, registered]].map((events) => {
        const { position, last_position } = project(registrations, events) ?? assert.fail();
        return [position, last_position];
      }),
      [
        [10, 10],
        [10, 20],
      ],
    ));
});
