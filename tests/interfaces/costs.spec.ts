import assert from 'node:assert/strict';
import type { App } from '../../application/app.js';
import { createHandle, step } from '../../application/commands/handle.js';
import type { Node } from '../../application/ports/node.js';
import { transactionStep } from '../../application/transactions/transactions.js';
import { contract } from '../../domain/aggregates/contract.js';
import type { TransactionCommand } from '../../domain/aggregates/transaction.js';
import { admit, type Target } from '../../interfaces/gateway/target.js';
import { createOperations } from '../../interfaces/http/operations.js';
import { endpoints } from '../../interfaces/operations/index.js';
import { contextOf, followedVariant, openStores, variantOf } from '../support/following/following.js';
import {
  ask,
  type Handler,
  type Neighbours,
  signedRequest,
  startNeighbours,
} from '../support/scenes/greedy-and-modest.js';
import { testSystem } from '../support/silent.js';

const addressesOf = (letter: string, count: number) =>
  Array.from({ length: count }, (_, n) => `0x${letter}${n.toString(16).padStart(39, '0')}`);

const createdTransaction = (transactionId: string, data: string): TransactionCommand => {
  const sent = { walletId: 'wal_1', from: '0xaa', to: '0xbb', value: '1', gas: '2', gasPrice: '3', data };
  return { type: 'Create', data: { ...sent, transactionId, chain: '0xb0', chainId: 1, request: 'r', nonce: 0 } };
};

describe('the cost of a call', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let neighbours: Neighbours;
  let operations: Handler;
  /** Units charged beyond the first unit of each call. */
  let more = 0;
  before(async () => {
    stores = await openStores();
    neighbours = await startNeighbours('c/mainnet', async () => stores);
    const { app } = neighbours;
    const chargeMore: App['access']['chargeMore'] = (caller, variant, cost) => {
      more += cost;
      return app.access.chargeMore(caller, variant, cost);
    };
    const around = { observe: () => undefined, onStoreDown: () => undefined, unready: () => null };
    operations = createOperations({ ...app, access: { ...app.access, chargeMore } }, endpoints, around);
  });
  after(() => neighbours?.close());

  const by = (name: 'greedy' | 'modest' = 'modest') => contextOf(neighbours[name].organizationId);
  const statusOf = (path: string, request: object, name: 'greedy' | 'modest' = 'modest') =>
    ask(operations, signedRequest(neighbours[name], path, request), (status) => status);
  const costOf = async (path: string, request: object) => {
    more = 0;
    await statusOf(path, request);
    return 1 + more;
  };
  const caughtUp = async () => {
    assert.ok(await neighbours.app.progress.reached(await stores.events.head(), 10_000));
  };
  const walletWith = async (letter: string, count: number, context = by()) => {
    const unnamed = { address: undefined, importAsset: undefined, confirmation: undefined };
    const { answer } = await neighbours.app.wallets.register(context, { name: letter, ...unnamed });
    const inputs = addressesOf(letter, count).map((text) => ({ text, path: '' }));
    await neighbours.app.addresses.register(context, { walletId: answer.wallet_id, inputs });
    await caughtUp();
    return answer.wallet_id;
  };

  for (const [letter, count] of [
    ['a', 250],
    ['b', 1100],
  ] as const)
    it(`grows with all ${count} addresses of a wallet that is shown, refreshed or emptied`, async () => {
      const wallet_id = await walletWith(letter, count);
      const cost = Math.ceil(count / 100);
      assert.equal(await costOf('/v1/c/GetWallet', { wallet_id }), cost);
      assert.equal(await costOf('/v1/c/ListWallets', { page_size: 1 }), cost);
      assert.equal(await costOf('/v1/c/RefreshAssetBalances', { wallet_id, asset_type: 'ASSET_TYPE_C' }), cost);
      assert.equal(await costOf('/v1/c/BatchRemoveAddresses', { wallet_id, remove_all: true }), cost);
      assert.equal(await costOf('/v1/c/GetWallet', { wallet_id }), 1);
    });

  it('counts each address of a wallet once, even where the answer maps it to its other forms', async () => {
    const context = contextOf(by().organizationId, variantOf('t'));
    const unnamed = { address: undefined, importAsset: undefined, confirmation: undefined };
    const { answer } = await neighbours.app.wallets.register(context, { name: 'mapped', ...unnamed });
    const inputs = Array.from({ length: 1100 }, (_, n) => ({
      text: `0:${n.toString(16).padStart(64, '0')}`,
      path: '',
    }));
    await neighbours.app.addresses.register(context, { walletId: answer.wallet_id, inputs });
    await caughtUp();
    assert.equal(await costOf('/v1/t/GetWallet', { wallet_id: answer.wallet_id }), 11);
  });

  it('grows with the number of rows in the answer', async () => {
    const steps = addressesOf('c', 250).map((address) => {
      const data = { contract: address, standard: 'erc20', description: {} } as const;
      return step(contract, by().organizationId, `${followedVariant.tag}.${address}`, { type: 'Register', data });
    });
    await createHandle(stores.events, testSystem)(by(), steps);
    await caughtUp();
    assert.equal(await costOf('/v1/c/ListContracts', {}), 3);
  });

  it('grows with the webhooks that are notified of a canceled transaction, and with the size of its data', async () => {
    const webhook = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };
    for (let n = 0; n < 30; n++) await neighbours.app.webhooks.register(by(), webhook);
    await caughtUp();
    const costOfCanceling = async (transaction_id: string, data: string) => {
      const created = createdTransaction(transaction_id, data);
      await createHandle(stores.events, testSystem)(by(), [transactionStep(by(), created)]);
      return costOf('/v1/c/CancelTransaction', { transaction_id });
    };
    assert.equal(await costOfCanceling('0b0e2f6e-0000-4000-8000-000000000001', '0x'), 1);
    assert.equal(await costOfCanceling('0b0e2f6e-0000-4000-8000-000000000002', `0x${'0'.repeat(20_000)}`), 6);
  });

  it('is charged in full even when it exceeds a limit, so that the next call is rejected', async () => {
    const context = by('greedy');
    const wallet_id = await walletWith('d', 1100, context);
    const limits = { second: 1e9, hour: 1e9, day: 1e9, month: 1e9 };
    const operator = { actor: { kind: 'operator', id: 'test' }, requestId: 'test' } as const;
    const { position } = await neighbours.app.rateLimits.set(operator, context.organizationId, followedVariant.tag, {
      ...limits,
      month: 20,
    });
    assert.ok(await neighbours.app.progress.reached(position, 10_000));
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push(await statusOf('/v1/c/GetWallet', { wallet_id }, 'greedy'));
    assert.deepEqual(statuses, [200, 200, 429, 429]);
  });

  it('depends on the method of a gateway call, and grows with the block range of evm_getLogs', async () => {
    const head = 5000;
    const node = {
      metrics: () => ({ members: [{ isUp: true, head }] }),
      extraMethods: new Set(['trace_block']),
    } as unknown as Node;
    const charged: number[][] = [];
    const gatewayAccess = {
      find: () => ({ organizationId: 'org_1' }),
      charge: (_holder: unknown, _variant: unknown, ...cost: number[]) => {
        charged.push(cost);
        return { allowed: true, limit: 1, remaining: 1, resetMs: 1 };
      },
    };
    const target: Target = { variant: followedVariant, address: 'c/mainnet', node, apiKey: 'key' };
    const logs = (filter: object) => ({ id: '1', method: 'eth_getLogs', params: [filter] });
    const costs = [
      [logs({}), 2],
      [logs({ fromBlock: '0x1', toBlock: '0x3e8' }), 11],
      [logs({ fromBlock: 'earliest' }), 52],
      [{ id: '1', method: 'eth_blockNumber', params: [] }, 0],
      [{ id: '1', method: 'evm_call', params: [{}] }, 1],
      [{ id: '1', method: 'eth_estimateGas', params: [{}] }, 3],
      [{ id: '1', method: 'trace_block', params: ['0x1'] }, 1],
      [{ id: '1', method: 'eth_noSuchMethod', params: [] }, 0],
      [{ id: '1', code: -32_600, message: '' }, 0],
    ] as const;
    for (const [call] of costs) await admit({ gatewayAccess } as unknown as App, target, undefined, () => [call]);
    assert.deepEqual(
      charged,
      costs.map(([, beyond]) => [1, beyond]),
    );
  });
});
