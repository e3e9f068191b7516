import assert from 'node:assert/strict';
import { maxAddressLength } from '../../../../domain/aggregates/address.js';
import { chainFamilies } from '../../../../domain/variant.js';
import { addressCodecs } from '../../../../infrastructure/chains/address-codecs.js';
import { base58Codec, createBase58Chain } from '../../../support/chains/base58-chain.js';
import { eventually } from '../../../support/eventually.js';
import {
  coinsOf,
  composeApp,
  contextOf,
  openStores,
  startFollowing,
  transfersOf,
  variantOf,
} from '../../../support/following/following.js';

const variant = variantOf('s');
/** Address codecs with the base58 codec in place of the codec of the variant's family. */
const codecs = Object.fromEntries(
  chainFamilies.map((family) => [family, family === variant.family ? base58Codec : addressCodecs[family]]),
) as typeof addressCodecs;
const by = contextOf('org_base58', variant);

const payer = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const own = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';
/** Address that differs from `own` only in one letter's case. */
const other = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hY';

describe('the follower of a chain with base58 addresses', () => {
  it("finds a deposit, and none to an address that differs only in one letter's case", async () => {
    const stores = await openStores();
    const { chain, mine } = createBase58Chain();
    const { app, stop } = startFollowing(stores, chain, { variant, codecs });
    try {
      const wanted = { name: 'base58', address: own, importAsset: undefined, confirmation: 2 };
      const { answer, position } = await app.wallets.register(by, wanted);
      const walletId = answer.wallet_id;
      await app.progress.reached(position, 10_000);
      mine([
        { from: payer, to: own, value: 70n },
        { from: payer, to: other, value: 5n },
      ]);
      mine();

      await eventually(async () => {
        assert.deepEqual(
          (await transfersOf(app, by, walletId)).map(({ transfer: { from, to, value }, state }) => ({
            from,
            to,
            value,
            state,
          })),
          [{ from: payer, to: own, value: '70', state: 'SUCCESS' }],
        );
      });
      await eventually(async () => {
        assert.deepEqual(
          (await coinsOf(app, by, walletId)).map(({ address, balance }) => ({ address, balance })),
          [{ address: own, balance: '70' }],
        );
      });
    } finally {
      await stop();
      await stores.close();
    }
  });

  it('rejects an address that is too long to be watched, even if its codec accepts it', async () => {
    const stores = await openStores();
    const anything = { ...base58Codec, parse: (input: string) => input };
    const app = composeApp(stores, { codecs: { ...codecs, [variant.family]: anything } });
    const register = (address: string) =>
      app.wallets.register(by, { name: 'long', address, importAsset: undefined, confirmation: 2 });
    await register('1'.repeat(maxAddressLength));
    await assert.rejects(register('1'.repeat(maxAddressLength + 1)), { name: 'Failure', code: 'INVALID_ARGUMENT' });
    await stores.close();
  });
});
