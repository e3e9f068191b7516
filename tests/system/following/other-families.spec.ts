import assert from 'node:assert/strict';
import { Address } from '@ton/core';
import { startDevelopmentTon } from '../../../infrastructure/chains/development/ton/chain.js';
import { accountOf } from '../../support/chains/ton-transactions.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';

describe('a TON chain under a variant that usually has an EVM chain', () => {
  let development: NonNullable<Awaited<ReturnType<typeof startDevelopmentTon>>>;
  let service: Service;
  before(async function () {
    const started = await startDevelopmentTon({ blockMs: 0, log: silent });
    if (!started) return skip(this, 'the development chain of TON (@ton/sandbox is not installed)');
    development = started;
    const off = { CHAIN_T_URL: 'off', CHAIN_S_URL: 'off', CHAIN_C_URL: 'off', CHAIN_Q_URL: 'off' };
    service = await startService({ on: embedded, env: { ...off, CHAIN_P_URL: development.urls.join() } });
  });
  after(async () => {
    await service?.stop();
    await development?.close();
  });

  it('accepts TON addresses, and lists transfers and balances in the records of the variant', async () => {
    const { p: api } = clientOf(service);
    const address = accountOf('under another variant');
    const friendly = Address.parseRaw(address).toString({ bounceable: false });
    const { wallet_id } = await api.registerWallet({ name: 'other', address: friendly });
    const { transaction_hash, block_number } = (await development.controls.transfer({ to: address, value: '70' })) as {
      transaction_hash: string;
      block_number: number;
    };
    await development.controls.mine(10);
    await eventually(async () => {
      const { transfers } = await api.listTransfers({ wallet_id });
      const [{ from, block_timestamp, ...transfer } = assert.fail('no transfer is listed')] = transfers;
      assert.ok(from !== '' && Number(block_timestamp) > 0);
      const expected = { asset_type: 'ASSET_TYPE_P', to: address, value: '70', transaction_fee: '0' };
      assert.deepEqual(transfer, { ...expected, transaction_hash, block_height: block_number });
    });
    await eventually(async () => {
      const { assets } = await api.listAssets({ wallet_id, asset_type: 'ASSET_TYPE_P' });
      assert.deepEqual(assets, [{ wallet_id, address, asset_type: 'ASSET_TYPE_P', balance: '70' }]);
    });
    const evm = `0x${'A1'.repeat(20)}`;
    await assert.rejects(api.registerAddress({ wallet_id, address: evm }), /is not a valid ton address/);
  });
});
