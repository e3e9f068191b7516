import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.js';
import {
  openVariants,
  skipWithoutDevelopmentChains,
  type Variants,
  variantRows,
} from '../../support/scenes/variant-scene.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { call } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization } from '../../support/service/service.js';
import { checkStolenPage } from '../../support/service/stolen-page.js';
import { noticeIn } from '../../support/webhooks/webhook-receiver.js';

const usd = '0x5::usd::USD';

describe('on a development chain, the wallet API', () => {
  let variants: Variants;
  before(async function () {
    skipWithoutDevelopmentChains(this);
    variants = await openVariants();
  });
  after(() => variants?.close());

  for (const row of variantRows)
    describe(row.segment, () => {
      const open = () => variants.use(row);

      it('shows an incoming transfer and its balance, and notifies a webhook', async () => {
        const { api, newWallet, send, transfersOf, balances, depth, identifier, fields, segment } = open();
        const { wallet_id, address } = await newWallet();
        const { webhook_id } = await api.registerWebhook({
          wallet_id,
          webhook_endpoint: variants.receiver.url,
          confirmation: depth,
        });
        const sent = await send(address, '1000');
        await variants.mine(depth - 1);
        await balances({ wallet_id }, ['1000']);
        await eventually(async () => assert.equal((await transfersOf({ wallet_id })).length, 1));
        const [transfer] = await transfersOf({ wallet_id });
        assert.deepEqual(
          Object.keys(transfer ?? {}).toSorted((a, b) => a.localeCompare(b)),
          fields,
        );
        assert.deepEqual(
          [transfer?.[identifier], transfer?.to, transfer?.value, transfer?.asset_type],
          [sent[identifier], address, '1000', `ASSET_TYPE_${segment.toUpperCase()}`],
        );
        const { block_height, block_timestamp = 0, transaction_fee = '' } = transfer ?? {};
        assert.equal(block_height, sent.block_number);
        assert.match(transaction_fee, /^-?\d+$/);
        const listed = async (time: number) => transfersOf({ wallet_id, start_time: time, end_time: time });
        assert.deepEqual([await listed(block_timestamp), await listed(block_timestamp - 1)], [[transfer], []]);
        const noticed = () => variants.receiver.attempts.map(noticeIn).filter((one) => one.webhook_id === webhook_id);
        await eventually(async () => assert.equal(noticed().length, 1));
        const { data, ...notice } = noticed()[0] as ReturnType<typeof noticeIn> & { notification_type: string };
        assert.equal(notice.notification_type, `NOTIFICATION_TYPE_${segment.toUpperCase()}_TRANSACTION_UPDATED`);
        assert.deepEqual(
          [data.wallet_id, data.address, data.state, data.transfer],
          [wallet_id, address, 'TRANSFER_STATE_SUCCESS', transfer],
        );
      });

      it('lists transfers by transaction, address and time, in pages', async () => {
        const { api, newWallet, newAddress, send, transfersOf, depth, identifier } = open();
        const { wallet_id, address } = await newWallet();
        const other = newAddress();
        await api.registerAddress({ wallet_id, address: other });
        const sent = [];
        for (let n = 1; n <= 5; n++) sent.push(await send(n % 2 ? address : other, String(n)));
        await variants.mine(depth);
        await eventually(async () => assert.equal((await transfersOf({ wallet_id })).length, 5));
        const values = async (request: object) => (await transfersOf(request)).map(({ value }) => value);
        assert.deepEqual(await values({ wallet_id }), ['5', '4', '3', '2', '1']);
        assert.deepEqual(await values({ address }), ['5', '3', '1']);
        assert.deepEqual(await values({ [identifier]: sent[2]?.[identifier] }), ['3']);
        assert.deepEqual(await values({ wallet_id, end_time: 1 }), []);
        assert.deepEqual(await values({ wallet_id, start_time: 1, end_time: 99_999_999_999 }), [
          '5',
          '4',
          '3',
          '2',
          '1',
        ]);
        const first = await api.listTransfers({ wallet_id, page_size: 3 });
        const rest = await api.listTransfers({ wallet_id, page_size: 3, page_token: first.pagination.next_page_token });
        assert.deepEqual(
          [...first.transfers, ...rest.transfers].map(({ value }) => value),
          ['5', '4', '3', '2', '1'],
        );
        assert.equal(rest.pagination.next_page_token, '');
      });

      it('lists transfers and balances in pages that no other organization continues', async () => {
        const { api, newWallet, newAddress, send, balances, depth, segment, asset_type } = open();
        const { wallet_id, address } = await newWallet();
        const other = newAddress();
        await api.registerAddress({ wallet_id, address: other });
        for (const to of [address, other]) await send(to, '7');
        await variants.mine(depth);
        await balances({ wallet_id }, ['7', '7']);
        const { url, home } = variants.service;
        const by = await newOrganization(home, `thief-${segment}`);
        const own = await clientOf(variants.service, by)[segment].registerWallet({ name: 'own', address });
        for (const [list, filter] of Object.entries({ ListTransfers: {}, ListAssets: { asset_type } })) {
          const theirs = { by: demoOf(home), fields: { wallet_id, ...filter } };
          const ours = { by, fields: { wallet_id: own.wallet_id, ...filter } };
          await checkStolenPage(url, `/v1/${segment}/${list}`, theirs, ours);
        }
      });

      it('imports the balance of an address with its registration, or on a later request', async () => {
        const { api, newWallet, newAddress, send, assetsOf, balances, depth, asset_type, segment } = open();
        const [first, second, third] = [newAddress(), newAddress(), newAddress()];
        for (const address of [first, second]) await send(address, '77');
        const { block_number } = await send(third, '77');
        await variants.mine(depth);
        // Waits, because a lagging follower would find the transfers after the registrations.
        await variants.caughtUp(segment.toUpperCase(), block_number);
        const { wallet_id } = await newWallet({ import_asset: true }, first);
        assert.deepEqual(
          (await assetsOf({ wallet_id })).map(({ balance }) => balance),
          ['77'],
        );
        await api.registerAddress({ wallet_id, address: second, import_asset: true });
        await api.registerAddress({ wallet_id, address: third });
        await balances({ wallet_id }, ['77', '77']);
        await api.importAsset({ address: third, asset_type });
        assert.deepEqual(
          (await assetsOf({ address: third })).map(({ balance }) => balance),
          ['77'],
        );
        const stranger = { address: newAddress(), asset_type };
        const answer = await call(
          variants.service.url,
          demoOf(variants.service.home),
          `/v1/${row.segment}/ImportAsset`,
          stranger,
        );
        assert.equal(answer.status, 404);
      });

      it('counts a transfer mined just before the registration once it is confirmed', async () => {
        const { newWallet, newAddress, send, balances, assetsOf, depth } = open();
        const address = newAddress();
        await send(address, '5');
        const { wallet_id } = await newWallet({ import_asset: true }, address);
        assert.deepEqual(
          (await assetsOf({ wallet_id })).map(({ balance }) => balance),
          [depth > 1 ? '0' : '5'],
        );
        await variants.mine(depth);
        await balances({ wallet_id }, ['5']);
      });

      it('adds up balances, leaves out empty ones, and refreshes them on request', async () => {
        const { api, newWallet, newAddress, send, assetsOf, depth, asset_type } = open();
        const { wallet_id, address } = await newWallet();
        const other = newAddress();
        await api.registerAddress({ wallet_id, address: other });
        await api.refreshAssetBalances({ wallet_id, asset_type });
        assert.equal((await assetsOf({ wallet_id })).length, 2);
        assert.deepEqual(await assetsOf({ wallet_id, exclude_zero_balance: true }), []);
        await send(address, '3');
        await send(other, '4');
        await variants.mine(depth);
        await eventually(async () => {
          const [sum] = await assetsOf({ wallet_id, is_aggregated: true });
          assert.deepEqual([sum?.address, sum?.balance, sum?.asset_type], ['', '7', asset_type]);
        });
      });
    });

  describe('p', () => {
    const open = () => variants.use(variantRows[0] as (typeof variantRows)[0]);

    it('lists a transfer once it is confirmed, and no longer once it is dropped', async () => {
      const { newWallet, send, transfersOf, assetsOf, balances } = open();
      const { wallet_id, address } = await newWallet();
      await send(address, '9');
      const { block_number } = await variants.mine(8);
      await variants.caughtUp('P', block_number);
      assert.deepEqual([await transfersOf({ wallet_id }), await assetsOf({ wallet_id })], [[], []]);
      await variants.mine(1);
      await eventually(async () => assert.equal((await transfersOf({ wallet_id })).length, 1));
      await balances({ wallet_id }, ['9']);
      await variants.control('dev_reorg', 12, 'drop');
      await eventually(async () => assert.deepEqual(await transfersOf({ wallet_id }), []));
      await balances({ wallet_id }, ['0']);
    });
  });

  describe('t', () => {
    it('shows jettons that are sent from the command line', async () => {
      const { newWallet, api, asset_type, balances } = variants.use(variantRows[2] as (typeof variantRows)[0]);
      const { wallet_id, address } = await newWallet();
      const { home, url } = variants.service;
      const where = ['--variant', 't', '--url', url];
      const { contract_address: token_address } = await jsonOf(home, ['dev', 'deploy-token', 'JETTON', ...where]);
      await api.importAsset({ address, asset_type, token_address });
      await balances({ wallet_id, token_address }, ['0']);
      const sent = await jsonOf(home, ['dev', 'transfer', address, '5', '--token', token_address, ...where]);
      assert.match(sent.transaction_hash, /^[0-9a-f]{64}$/);
      await balances({ wallet_id, token_address }, ['5']);
    });
  });

  describe('s', () => {
    const open = () => variants.use(variantRows[1] as (typeof variantRows)[0]);

    it('follows other coins once they are imported, and distinguishes them from the native coin', async () => {
      const { api, newWallet, send, transfersOf, balances, asset_type, depth } = open();
      const { wallet_id, address } = await newWallet();
      await send(address, '11', usd);
      await variants.mine(depth);
      await api.importAsset({ address, asset_type, token_address: usd });
      await balances({ wallet_id, token_address: '0x005::usd::USD' }, ['11']);
      await send(address, '4', usd);
      await send(address, '6');
      await variants.mine(depth);
      await balances({ wallet_id, token_address: usd }, ['15']);
      await balances({ wallet_id }, ['6']);
      await balances({ wallet_id, token_address: '0x2::sui::SUI' }, ['6']);
      const listed = (await transfersOf({ wallet_id })).map(({ value, token_address }) => [value, token_address]);
      const full = `0x${'5'.padStart(64, '0')}::usd::USD`;
      assert.deepEqual(listed, [
        ['6', undefined],
        ['4', full],
      ]);
      await api.refreshAssetBalances({ address, asset_type });
      await balances({ address, token_address: usd }, ['15']);
      await api.removeAddress({ wallet_id, address });
      await api.registerAddress({ wallet_id, address });
      assert.deepEqual((await api.listAssets({ asset_type, token_address: usd, wallet_id })).assets, []);
    });

    it('rejects imports of unknown and malformed coin types', async () => {
      const { newWallet, asset_type } = open();
      const { address } = await newWallet();
      for (const [token_address, status] of [
        ['0x7::none::NONE', 409],
        ['USD', 400],
      ] as const) {
        const { service } = variants;
        const request = { address, asset_type, token_address };
        assert.equal((await call(service.url, demoOf(service.home), '/v1/s/ImportAsset', request)).status, status);
      }
    });

    it('follows an address that was registered in its short form', async () => {
      const { newWallet, send, transfersOf, balances, depth } = open();
      const { wallet_id, address } = await newWallet({}, `0x${'5a'.repeat(20)}`);
      await send(`0x${'5a'.repeat(20).padStart(64, '0')}`, '8');
      await variants.mine(depth);
      await balances({ wallet_id }, ['8']);
      assert.deepEqual(
        (await transfersOf({ address })).map(({ to }) => to),
        [address],
      );
    });

    it('lets the command line send coins, and reject an amount of zero', async () => {
      const { newAddress } = open();
      const { home, url } = variants.service;
      const args = ['dev', 'transfer', newAddress(), '5', '--variant', 's', '--url', url, '--json'];
      const { code, stdout } = await runCommand(home, args);
      assert.equal(code, 0, stdout);
      assert.match(JSON.parse(stdout).transaction_digest, /^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
      const rejected = await runCommand(home, args.with(3, '0'));
      assert.equal(rejected.code, 1, rejected.stdout);
    });
  });
});
