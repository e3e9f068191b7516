import assert from 'node:assert/strict';
import { startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { addressOf } from '../../support/chains/evm-chain.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import type { Client } from '../../support/service/client.js';
import { clientOf, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';

type Made = { readonly contract_address: string; readonly block_number: number };

describe('tokens that a wallet held before RegisterContract', () => {
  const closing: (() => unknown)[] = [];
  let control: (method: string, ...params: unknown[]) => Promise<Made>;
  let api: Client['c'];
  before(async function () {
    const chain = await startDevelopmentEvm({ blockMs: 0, log: silent });
    if (!chain) return skip(this, 'the development chain (EDR is not there for this machine)');
    closing.push(() => chain.close());
    control = (method, ...params) => chain.request(method, params) as Promise<Made>;
    const service = await startService({ on: embedded, env: { CHAIN_C_URL: chain.url } });
    closing.push(() => service.stop());
    api = clientOf(service).c;
  });
  after(async () => {
    for (const close of closing.toReversed()) await close();
  });

  for (const { type, value, balance } of [
    { type: 'ERC-721', value: '42', balance: '1' },
    { type: 'ERC-1155', value: '9', balance: '9' },
  ])
    it(`are listed after a search from a given block (${type})`, async () => {
      const name = type.replace('-', '');
      const asset_type = `ASSET_TYPE_${name}`;
      const address = addressOf(type);
      const { wallet_id } = await api.registerWallet({ name: type, address, confirmation: 1 });
      const { contract_address } = await control('dev_deployToken', { type });
      const { block_number } = await control('dev_transfer', {
        variant: 'c',
        to: address,
        value,
        token: contract_address,
      });
      // A listed later transfer shows that the follower has passed the block and will not record its token transfer.
      await control('dev_transfer', { variant: 'c', to: address, value: '1' });
      await eventually(async () => assert.equal((await api.listTransfers({ wallet_id })).transfers.length, 1));
      const balances = async () => (await api.listAssets({ wallet_id, asset_type })).assets.map((one) => one.balance);

      await api.registerContract({ contract_address, contract_type: `CONTRACT_TYPE_${name}` });
      await api.refreshAssetBalances({ wallet_id, asset_type });
      assert.deepEqual(await balances(), []);
      await api.refreshAssetBalances({ wallet_id, asset_type, from_block: block_number });
      await eventually(async () => {
        const { state, complete_from_block } = await api.getBalanceRefresh({ wallet_id, asset_type });
        assert.deepEqual([state, complete_from_block], ['BALANCE_REFRESH_STATE_IDLE', block_number]);
      });
      assert.deepEqual(await balances(), [balance]);
    });
});
