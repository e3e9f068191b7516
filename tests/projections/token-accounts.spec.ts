import assert from 'node:assert/strict';
import { addresses, departures } from '../../projections/addresses.js';
import { project } from '../support/histories/project.js';

const address = '0:ab';
const held = { type: 'AddressRegistered', data: { address, walletId: 'wal_1' } } as const;
const removed = { type: 'AddressRemoved', data: held.data } as const;

describe('the document of an address', () => {
  it('keeps the accounts that hold tokens for an address, as long as it is held', () => {
    const token = (contract: string, account: string) =>
      ({ ...held.data, asset: { standard: 'token', contract }, account }) as const;
    const found = [token('m1', 'w1'), token('m2', 'w2'), token('m1', 'w3')].map(
      (data) => ({ type: 'TokenAccountFound', data }) as const,
    );
    const accounts = [token('m2', 'w2'), token('m1', 'w3')].map(({ asset, account }) => ({ asset, account }));
    assert.deepEqual(project(addresses, [held, ...found]), { address, wallet_id: 'wal_1', position: 10, accounts });
    assert.equal(project(addresses, [held, ...found, removed]), null);
    const leaving = { type: 'AddressRemoved', data: { ...held.data, head: 7 } } as const;
    const gone = { address, wallet_id: 'wal_1', head: 7, imports: [], accounts };
    assert.deepEqual(project(departures, [...found, leaving]), gone);
    const again = { address, wallet_id: 'wal_1', head: 7, imports: [] };
    assert.deepEqual(project(departures, [...found, leaving, leaving]), again);
  });
});
