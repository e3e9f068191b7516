import assert from 'node:assert/strict';
import { Address } from '@ton/core';
import { startDevelopmentTon } from '../../../infrastructure/chains/development/ton/chain.js';
import { accountOf } from '../../support/chains/ton-transactions.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import type { Client } from '../../support/service/client.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';
import { noticeIn, startReceiver } from '../../support/webhooks/webhook-receiver.js';

type Sent = { transaction_hash: string; block_number: number; contract_address: string };

let accounts = 0;
const newAccount = () => accountOf(`account ${++accounts}`);
const friendly = (address: string) => Address.parseRaw(address).toString({ bounceable: false });

for (const engine of engines)
  describe(`the follower of the TON development chain on ${engine.name}`, () => {
    let development: NonNullable<Awaited<ReturnType<typeof startDevelopmentTon>>>;
    let service: Service;
    let api: Client['t'];
    const closing: (() => unknown)[] = [];
    before(async function () {
      const started = await startDevelopmentTon({ blockMs: 0, log: silent });
      if (!started) return skip(this, 'the development chain of TON (@ton/sandbox is not installed)');
      development = started;
      closing.push(() => development.close());
      const env = { CHAIN_T_URL: development.urls.join(), CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true' };
      service = await startService({ on: engine, env });
      closing.push(() => service.stop());
      api = clientOf(service).t;
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });

    const send = (options: object) => development.controls.transfer({ ...options }) as Promise<Sent>;
    const deploy = async () => (await development.controls.deployToken?.({})) as Sent;
    const caughtUp = ({ block_number }: Sent) =>
      eventually(async () => {
        const metrics = await (await fetch(`${service.url}/metrics`)).text();
        const height = Number(/chainfold_follower_height\{chain="T"\} (\d+)/.exec(metrics)?.[1]);
        assert(height >= block_number, `the follower is at ${height}`);
      });
    const newWallet = async (address = newAccount()) => {
      const { wallet_id } = await api.registerWallet({ name: 'followed', address: friendly(address) });
      return { wallet_id, address };
    };
    const transfersOf = async (wallet_id: string) => (await api.listTransfers({ wallet_id, page_size: 100 })).transfers;
    const assetsOf = async (wallet_id: string, token_address?: string) =>
      (await api.listAssets({ wallet_id, asset_type: 'ASSET_TYPE_T', ...(token_address && { token_address }) })).assets;
    const balancesOf = async (wallet_id: string, token?: string) =>
      (await assetsOf(wallet_id, token)).map(({ balance }) => balance);

    it('shows a transfer with all its fields and the balance, and notifies a webhook', async () => {
      const receiver = await startReceiver();
      closing.push(receiver.close);
      const { wallet_id, address } = await newWallet();
      await api.registerWebhook({ wallet_id, webhook_endpoint: receiver.url, confirmation: 1 });
      const { transaction_hash, block_number } = await send({ to: address, value: '1500000000', message: 'rent' });
      await eventually(async () => assert.equal(receiver.attempts.length, 1));
      const [transfer, ...others] = await transfersOf(wallet_id);
      assert.deepEqual(others, []);
      const {
        from = '',
        from_user_friendly_address,
        transfer_hash = '',
        block_timestamp = 0,
        ...known
      } = transfer ?? assert.fail('no transfer');
      assert.deepEqual(known, {
        transaction_hash,
        asset_type: 'ASSET_TYPE_T',
        to: address,
        value: '1500000000',
        transaction_fee: '0',
        seq_no: String(block_number),
        workchain: '0',
        shard: '8000000000000000',
        status: 'success',
        to_user_friendly_address: friendly(address),
        message: 'rent',
        transfer_type: 'TRANSFER_TYPE_INCOMING',
        bounced: 'false',
        block_height: block_number,
        transfer_metadata: {},
      });
      assert.ok(block_timestamp > 0);
      assert.equal(from_user_friendly_address, friendly(from));
      assert.match(transfer_hash, /^[0-9a-f]{64}$/);
      const asset = {
        wallet_id,
        address,
        asset_type: 'ASSET_TYPE_T',
        balance: '1500000000',
        user_friendly_address: friendly(address),
        asset_metadata: {},
      };
      await eventually(async () => assert.deepEqual(await assetsOf(wallet_id), [asset]));
      const [notice] = receiver.attempts.map(noticeIn);
      assert.deepEqual([notice?.data.wallet_id, notice?.data.state], [wallet_id, 'TRANSFER_STATE_SUCCESS']);
      assert.deepEqual(notice?.data.transfer, transfer);
      for (const form of ['hex', 'base64', 'base64url'] as const) {
        const hash = Buffer.from(transaction_hash, 'hex').toString(form);
        assert.deepEqual((await api.listTransfers({ transaction_hash: hash })).transfers, [transfer]);
      }
    });

    it('shows both sides of a transfer that bounces', async () => {
      const { wallet_id, address } = await newWallet();
      await send({ to: Address.parseRaw(address).toString({ bounceable: true }), value: '1000000000' });
      await eventually(async () =>
        assert.deepEqual(
          (await transfersOf(wallet_id)).map(({ transfer_type, status, bounced }) => [transfer_type, status, bounced]),
          [
            ['TRANSFER_TYPE_OUTGOING', 'failure', 'true'],
            ['TRANSFER_TYPE_INCOMING', 'failure', 'false'],
          ],
        ),
      );
      await eventually(async () => assert.deepEqual(await balancesOf(wallet_id), ['0']));
    });

    it('follows imported jettons, and shows them under their master', async () => {
      const { contract_address: token } = await deploy();
      const { wallet_id, address } = await newWallet();
      await caughtUp(await send({ to: address, value: '70', token }));
      await api.importAsset({ address, asset_type: 'ASSET_TYPE_T', token_address: token });
      assert.deepEqual(await balancesOf(wallet_id, token), ['70']);
      assert.deepEqual(await balancesOf(wallet_id), []);
      const { transaction_hash } = await send({ to: address, value: '5', token });
      await eventually(async () => assert.deepEqual(await balancesOf(wallet_id, token), ['75']));
      await eventually(async () =>
        assert.deepEqual(
          (await transfersOf(wallet_id)).map((one) => [one.transaction_hash, one.value, one.token_address]),
          [[transaction_hash, '5', token]],
        ),
      );
      const others = await newWallet();
      await caughtUp(await send({ to: others.address, value: '9', token }));
      assert.deepEqual(await balancesOf(others.wallet_id, token), []);
      assert.deepEqual(await transfersOf(others.wallet_id), []);
    });

    it('rejects a jetton wallet other than the one that the master names', async () => {
      const { contract_address: token } = await deploy();
      const { address } = await newWallet();
      const named = { address, asset_type: 'ASSET_TYPE_T', token_address: token };
      const asked = { ...named, token_account_address: newAccount() };
      const answer = await call(service.url, demoOf(service.home), '/v1/t/ImportAsset', asked);
      assert.deepEqual([answer.status, problemIn(answer).code], [409, 'FAILED_PRECONDITION']);
    });
  });
