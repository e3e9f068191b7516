import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { variants } from '../../../domain/variant.js';
import { createAjv } from '../../../interfaces/http/validation.js';
import * as addressOperations from '../../../interfaces/operations/addresses.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import * as walletOperations from '../../../interfaces/operations/wallets.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { type Engine, engines } from '../../support/engines/engines.js';
import { refusedWith } from '../../support/scenes/payments.js';
import type { Client } from '../../support/service/client.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

const wallets = variants.filter((variant) => variant.surface === 'wallet');
const here: readonly unknown[] = Object.values({ ...walletOperations, ...addressOperations });
const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const evmAddress = () => `0x${hex(20)}`;

/** Size of a batch: on the engines' doubles, which store events one by one, only one API gets the full number. */
const maxConcurrent = ({ isEmbedded }: Engine, segment: string) => (isEmbedded || segment === 'c' ? 1000 : 200);

for (const engine of engines)
  describe(`over HTTP on ${engine.name}, the wallet API`, () => {
    let service: Service;
    let demo: Credentials;
    let client: Client;
    before(async () => {
      service = await startService({ on: engine });
      demo = demoOf(service.home);
      client = clientOf(service);
    });
    after(() => service.stop());

    for (const { segment, can, addressExample } of wallets)
      describe(segment, () => {
        const api = () => client[segment];
        const register = async (addresses: string[] = []) => {
          const { wallet_id } = await api().registerWallet({ name: `wallet of ${segment}` });
          if (addresses.length > 0) await api().batchRegisterAddresses({ wallet_id, addresses });
          return wallet_id;
        };
        /** Reads the addresses; repeats the request while the answer lacks a change of the caller. */
        const addressesOf = async (wallet_id: string): Promise<readonly string[]> => {
          const answer = await call(service.url, demo, `/v1/${segment}/GetWallet`, { wallet_id });
          if (answer.headers.get('x-consistency') === 'pending') return addressesOf(wallet_id);
          return (answer.body.wallet as { addresses: readonly string[] }).addresses;
        };

        it('lists the addresses of a wallet in pages, newest first, and those of all wallets', async () => {
          const given = Array.from({ length: 7 }, evmAddress);
          const wallet_id = await register(given);
          const other = await register([evmAddress()]);
          const listed: string[] = [];
          let token = '';
          do {
            const page = await api().listAddresses({ wallet_id, page_size: 3, page_token: token });
            for (const one of page.addresses) {
              assert.equal(one.wallet_id, wallet_id);
              assert.equal('user_friendly_address' in one, can.includes('friendly-address'));
              listed.push(one.address);
            }
            token = page.pagination.next_page_token;
          } while (token !== '');
          assert.deepEqual(new Set(listed), new Set(given));
          assert.equal(listed.length, given.length);
          const { addresses } = await api().listAddresses({ page_size: 8 });
          assert.deepEqual(
            addresses.map((one) => one.wallet_id),
            [other, ...given.map(() => wallet_id)],
          );
          await assert.rejects(api().listAddresses({ wallet_id: 'wal_nobody' }), refusedWith('NOT_FOUND'));
          const { pagination } = await api().listAddresses({ wallet_id, page_size: 1 });
          const foreign = { wallet_id: other, page_token: pagination.next_page_token };
          await assert.rejects(api().listAddresses(foreign), refusedWith('INVALID_ARGUMENT'));
        });

        it('registers a wallet and finds it by id and by address', async () => {
          const { wallet_id } = await api().registerWallet({ name: 'first', address: addressExample });
          const { wallet } = await api().getWallet({ wallet_id });
          assert.equal(wallet.name, 'first');
          assert.equal(wallet.addresses.length, 1);
          assert.equal(wallet.confirmation, can.includes('confirmation') ? 10 : undefined);
          assert.deepEqual((await api().getWallet({ address: addressExample })).wallet, wallet);
          assert.equal('address_mapping' in wallet, can.includes('friendly-address'));
        });

        for (const { path, operation, example, response } of endpoints.filter(
          (one) => one.variant.segment === segment && here.includes(one.operation),
        ))
          it(`answers ${operation.name} according to its schema`, async () => {
            const address = evmAddress();
            const wallet_id = await register([address]);
            const fresh = operation.name === 'RegisterWallet' ? { address: evmAddress() } : { wallet_id, address };
            const fields = Object.entries(fresh).filter(([name]) => name in example);
            const answer = await call(service.url, demo, path, {
              ...example,
              ...Object.fromEntries(fields),
              ...('addresses' in example && { addresses: [evmAddress()] }),
            });
            assert.equal(answer.status, 200, JSON.stringify(answer.body));
            const ajv = createAjv();
            assert.ok(ajv.validate(response, answer.body), ajv.errorsText());
          });

        it('lists wallets newest first, page by page', async () => {
          const made: string[] = [];
          for (let n = 0; n < 12; n++) made.unshift(await register());
          const seen: string[] = [];
          let token = '';
          while (seen.length < 12) {
            const page = await api().listWallets({ page_size: 5, page_token: token });
            seen.push(...page.wallets.map(({ wallet_id }) => wallet_id));
            await register();
            token = page.pagination.next_page_token;
          }
          assert.deepEqual(seen.slice(0, 12), made);
          assert.equal((await api().listWallets({})).wallets.length, 10);
        });

        it('keeps registered addresses in order, and ignores a repeated registration', async () => {
          const addresses = [evmAddress(), evmAddress(), evmAddress()];
          const wallet_id = await register(addresses);
          await api().registerAddress({ wallet_id, address: addresses[1] as string });
          await api().batchRegisterAddresses({ wallet_id, addresses: [...addresses, ...addresses] });
          assert.deepEqual(await addressesOf(wallet_id), addresses);
        });

        it('rejects an address that another wallet holds, until it is removed there', async () => {
          const address = evmAddress();
          const [one, two] = [await register([address]), await register()];
          await assert.rejects(api().registerAddress({ wallet_id: two, address }), refusedWith('ALREADY_EXISTS'));
          await assert.rejects(api().registerWallet({ name: 'three', address }), refusedWith('ALREADY_EXISTS'));
          await api().removeAddress({ wallet_id: two, address });
          assert.deepEqual(await addressesOf(one), [address]);
          await api().removeAddress({ wallet_id: one, address });
          await api().removeAddress({ wallet_id: one, address });
          await api().registerAddress({ wallet_id: two, address });
          assert.deepEqual(await addressesOf(one), []);
          assert.deepEqual(await addressesOf(two), [address]);
        });

        it('rejects a whole batch for one malformed or foreign address, and names each', async () => {
          const [held, good] = [evmAddress(), evmAddress()];
          await register([held]);
          const wallet_id = await register();
          const path = `/v1/${segment}/BatchRegisterAddresses`;
          const bad = await call(service.url, demo, path, { wallet_id, addresses: [good, 'nonsense', held, '0x1'] });
          assert.equal(bad.status, 400);
          assert.deepEqual(
            problemIn(bad).errors.map((one) => one.path),
            ['/addresses/1', '/addresses/3'],
          );
          const foreign = await call(service.url, demo, path, { wallet_id, addresses: [good, held] });
          assert.equal(foreign.status, 409);
          assert.deepEqual(
            problemIn(foreign).errors.map((one) => one.path),
            ['/addresses/1'],
          );
          assert.deepEqual(await addressesOf(wallet_id), []);
        });

        const most = maxConcurrent(engine, segment);
        it(`registers ${most} addresses at once and removes them, some or all`, async () => {
          const addresses = Array.from({ length: most }, evmAddress);
          const wallet_id = await register(addresses);
          assert.deepEqual(await addressesOf(wallet_id), addresses);
          await api().batchRemoveAddresses({ wallet_id, addresses: [...addresses.slice(0, most / 2), evmAddress()] });
          assert.deepEqual(await addressesOf(wallet_id), addresses.slice(most / 2));
          await api().batchRegisterAddresses({ wallet_id, addresses: addresses.slice(0, most / 2) });
          await api().batchRegisterAddresses({ wallet_id, addresses: Array.from({ length: most / 2 }, evmAddress) });
          await api().batchRemoveAddresses({ wallet_id, remove_all: true });
          assert.deepEqual(await addressesOf(wallet_id), []);
          await assert.rejects(api().batchRemoveAddresses({ wallet_id }), refusedWith('INVALID_ARGUMENT'));
        });

        it('answers NOT_FOUND for unknown wallets and addresses, and for wallets of another API', async () => {
          const wallet_id = await register();
          const other = client[segment === 'c' ? 'p' : 'c'];
          await assert.rejects(other.getWallet({ wallet_id }), refusedWith('NOT_FOUND'));
          await assert.rejects(other.registerAddress({ wallet_id, address: evmAddress() }), refusedWith('NOT_FOUND'));
          await assert.rejects(api().getWallet({ wallet_id: 'wal_none' }), refusedWith('NOT_FOUND'));
          await assert.rejects(api().getWallet({ address: evmAddress() }), refusedWith('NOT_FOUND'));
          await assert.rejects(api().getWallet({ wallet_id, address: evmAddress() }), refusedWith('NOT_FOUND'));
          await assert.rejects(
            api().batchRemoveAddresses({ wallet_id: 'x', remove_all: true }),
            refusedWith('NOT_FOUND'),
          );
        });

        if (can.includes('confirmation'))
          it('updates the confirmation threshold, to 10 when none is given', async () => {
            const { wallet_id } = await api().registerWallet({ name: 'deep', confirmation: 0 });
            assert.equal((await api().getWallet({ wallet_id })).wallet.confirmation, 0);
            await api().updateConfirmation({ wallet_id, confirmation: 64 });
            const { wallet } = await api().getWallet({ wallet_id });
            assert.equal(wallet.confirmation, 64);
            assert.ok(wallet.update_time >= wallet.create_time);
            await api().updateConfirmation({ wallet_id } as never);
            assert.equal((await api().getWallet({ wallet_id })).wallet.confirmation, 10);
          });
        else
          it('rejects a confirmation threshold', async () => {
            await assert.rejects(
              api().updateConfirmation({ wallet_id: 'x', confirmation: 1 }),
              refusedWith('NOT_FOUND'),
            );
            await assert.rejects(api().registerWallet({ name: 'x', confirmation: 1 }), refusedWith('INVALID_ARGUMENT'));
          });

        if (can.includes('address-lookup'))
          it('looks up the wallet of an address', async () => {
            const address = evmAddress();
            const wallet_id = await register([address]);
            const found = await api().getAddress({ address });
            const friendly = can.includes('friendly-address') ? { user_friendly_address: '' } : {};
            assert.deepEqual(found, { address, wallet_id, ...friendly });
            await assert.rejects(api().getAddress({ address: evmAddress() }), refusedWith('NOT_FOUND'));
          });

        if (can.includes('import-asset'))
          it('accepts import_asset', async () => {
            const { wallet_id } = await api().registerWallet({ name: 'x', address: evmAddress(), import_asset: true });
            await api().registerAddress({ wallet_id, address: evmAddress(), import_asset: true });
            assert.equal((await addressesOf(wallet_id)).length, 2);
          });
        else
          it('rejects import_asset', () =>
            assert.rejects(api().registerWallet({ name: 'x', import_asset: true }), refusedWith('INVALID_ARGUMENT')));
      });

    it('shows the user-friendly form of an address beside the stored form where a chain has both', async () => {
      const raw = `0:${hex(32)}`;
      const { wallet_id } = await client.t.registerWallet({
        name: 'ton',
        address: raw.toUpperCase().replace('0X', '0x'),
      });
      const { wallet } = await client.t.getWallet({ wallet_id });
      assert.deepEqual(wallet.addresses, [raw]);
      const friendly = wallet.address_mapping?.[0]?.user_friendly_address ?? '';
      assert.match(friendly, /^UQ[\w-]{46}$/);
      await assert.rejects(
        client.t.registerWallet({ name: 'again', address: friendly }),
        refusedWith('ALREADY_EXISTS'),
      );
      assert.equal((await client.t.getAddress({ address: friendly })).address, raw);
    });
  });
