import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.js';
import {
  openVariants,
  skipWithoutDevelopmentChains,
  type Variants,
  variantRows,
} from '../../support/scenes/variant-scene.js';
import { call } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization } from '../../support/service/service.js';
import { noticeIn } from '../../support/webhooks/webhook-receiver.js';

let coined = 0;
/** Tokens of the development chains, with their metadata. */
const coins = {
  s: {
    deploy: async () => `0x${'c0'.repeat(32)}::coin${++coined}::GOLD`,
    described: { name: 'Coin GOLD', symbol: 'GOLD', decimals: 9 },
  },
  t: {
    deploy: async ({ control }: Variants) =>
      (await control('dev_deployToken', { variant: 't', type: 'JETTON' })).contract_address as string,
    described: { name: 'Test jetton', symbol: 'TEST', decimals: 6 },
  },
} as const;

describe('tokens of a development chain without token standards', () => {
  let variants: Variants;
  before(async function () {
    skipWithoutDevelopmentChains(this);
    variants = await openVariants();
  });
  after(() => variants?.close());

  /** Waits until the token accounts of the owners are found. Coin types, which contain `::`, have no accounts. */
  const isFollowed = async (token_address: string, owners: readonly string[]) => {
    if (token_address.includes('::')) return;
    const admin = clientOf(variants.service).admin;
    await eventually(async () => {
      const { events } = await admin.listEvents({ page_size: 100 });
      const accounts = events.filter(({ type }) => type === 'TokenAccountFound');
      const found = accounts.map(({ data }) => data as { address: string; asset: { contract: string } });
      const addresses = found.filter(({ asset }) => asset.contract === token_address).map(({ address }) => address);
      for (const owner of owners) assert.ok(addresses.includes(owner), owner);
    });
  };

  for (const segment of ['s', 't'] as const)
    describe(segment, () => {
      const { deploy, described } = coins[segment];
      const open = () => variants.use(variantRows.find((row) => row.segment === segment) ?? assert.fail());

      it('have their name, symbol and decimals in assets and transfers once they are imported', async () => {
        const { api, newWallet, send, assetsOf, transfersOf, depth, newAddress, asset_type } = open();
        const token_address = await deploy(variants);
        await send(newAddress(), '1', token_address);
        const { wallet_id, address } = await newWallet();
        await api.importAsset({ address, asset_type, token_address });
        await send(address, '5', token_address);
        await send(address, '7');
        await variants.mine(depth);
        const metadata = { token_address, ...described };
        await eventually(async () => {
          const [asset] = await assetsOf({ wallet_id, token_address });
          assert.deepEqual([asset?.balance, asset?.asset_metadata], ['5', metadata]);
          const listed = (await transfersOf({ wallet_id })).map((one) => [one.value, one.transfer_metadata]);
          assert.deepEqual(listed, [
            ['7', {}],
            ['5', metadata],
          ]);
          assert.deepEqual((await assetsOf({ wallet_id }))[0]?.asset_metadata, {});
        });
      });

      it('are followed at every address once their contract is registered, and until it is removed', async () => {
        const { api, newWallet, send, assetsOf, transfersOf, depth, newAddress } = open();
        const token_address = await deploy(variants);
        await send(newAddress(), '1', token_address);
        const early = await newWallet();
        await api.registerContract({ token_address });
        const late = await newWallet();
        await isFollowed(token_address, [early.address, late.address]);
        const { webhook_id } = await api.registerWebhook({
          wallet_id: early.wallet_id,
          webhook_endpoint: variants.receiver.url,
          confirmation: depth,
        });
        await send(early.address, '5', token_address);
        await send(late.address, '6', token_address);
        await send(late.address, '7');
        await variants.mine(depth);
        const held = async (request: object) =>
          (await assetsOf(request)).map((one) => [one.balance, one.asset_metadata]).toSorted();
        const metadata = { token_address, ...described };
        await eventually(async () => {
          assert.deepEqual(await held({ wallet_id: early.wallet_id, include_tokens: true }), [['5', metadata]]);
          assert.deepEqual(await held({ wallet_id: late.wallet_id, include_tokens: true }), [
            ['6', metadata],
            ['7', {}],
          ]);
          assert.deepEqual(await held({ token_address, is_aggregated: true }), [['11', metadata]]);
          assert.deepEqual(await held({ wallet_id: late.wallet_id }), [['7', {}]]);
        });
        const [transfer, ...others] = await transfersOf({ wallet_id: early.wallet_id });
        assert.deepEqual(
          [transfer?.value, transfer?.to, transfer?.token_address, others],
          ['5', early.address, token_address, []],
        );
        const noticed = () => variants.receiver.attempts.map(noticeIn).filter((one) => one.webhook_id === webhook_id);
        await eventually(async () => assert.equal(noticed().length, 1));
        const reported = noticed()[0]?.data.transfer as typeof transfer;
        assert.deepEqual([reported?.value, reported?.token_address], ['5', token_address]);

        await api.removeContract({ token_address });
        await send(early.address, '8', token_address);
        await variants.mine(depth);
        await send(early.address, '9');
        await variants.mine(depth);
        await eventually(async () => assert.equal((await transfersOf({ wallet_id: early.wallet_id }))[0]?.value, '9'));
        assert.equal((await transfersOf({ wallet_id: early.wallet_id })).length, 2);
        await eventually(async () =>
          assert.deepEqual(await held({ wallet_id: early.wallet_id, include_tokens: true }), [['9', {}]]),
        );
      });

      it('are listed with their contract, and only to the organization that registered it', async () => {
        const { api, newAddress, send, depth, asset_type } = open();
        const token_address = await deploy(variants);
        await send(newAddress(), '1', token_address);
        const { service } = variants;
        const other = clientOf(service, await newOrganization(service.home, `tokens-${segment}`))[segment];
        const address = newAddress();
        const own = await api.registerWallet({ name: 'own', address });
        const theirs = await other.registerWallet({ name: 'theirs', address });
        await api.registerContract({ token_address });
        await api.registerContract({ token_address });
        const listed = (await api.listContracts({})).contracts.filter((one) => one.token_address === token_address);
        assert.deepEqual(listed, [{ token_address, contract_metadata: described }]);
        assert.deepEqual((await other.listContracts({})).contracts, []);
        await isFollowed(token_address, [address]);
        await send(address, '5', token_address);
        await send(address, '6');
        await variants.mine(10);
        const valuesOf = async (client: typeof api, wallet_id: string) =>
          (await client.listTransfers({ wallet_id })).transfers.map(({ value }) => value);
        await eventually(async () => assert.deepEqual(await valuesOf(api, own.wallet_id), ['6', '5']));
        await eventually(async () => assert.deepEqual(await valuesOf(other, theirs.wallet_id), ['6']));
        const assets = async (client: typeof api) =>
          (await client.listAssets({ asset_type, address, include_tokens: true })).assets.map(({ balance }) => balance);
        await eventually(async () => assert.deepEqual((await assets(api)).toSorted(), ['5', '6']));
        await eventually(async () => assert.deepEqual(await assets(other), ['6']));
        assert.ok(depth <= 10);
      });

      it('include what an address held before their contract was registered, once that balance is read', async () => {
        const { api, newWallet, send, balances, depth, asset_type } = open();
        const token_address = await deploy(variants);
        const { wallet_id, address } = await newWallet();
        await send(address, '5', token_address);
        await variants.mine(depth);
        await api.registerContract({ token_address });
        await api.refreshAssetBalances({ wallet_id, asset_type });
        await balances({ wallet_id, token_address }, ['5']);
      });

      it('are rejected where no contract on the chain answers as they must', async () => {
        const { newAddress, asset_type } = open();
        const { service } = variants;
        const none = segment === 's' ? '0x7::none::NONE' : newAddress();
        const answers = await Promise.all(
          [none, 'no token'].map((token_address) =>
            call(service.url, demoOf(service.home), `/v1/${segment}/RegisterContract`, { token_address }),
          ),
        );
        assert.deepEqual(
          answers.map(({ status }) => status),
          [409, 400],
          asset_type,
        );
      });
    });
});
