import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { loadEdr } from '../../../infrastructure/chains/development/evm/edr.js';
import { embedded } from '../engines/engines.js';
import { eventually } from '../eventually.js';
import { skip } from '../run/skip.js';
import type { Client } from '../service/client.js';
import { clientOf, demoOf, type Service, startService } from '../service/service.js';
import { startReceiver } from '../webhooks/webhook-receiver.js';

/** Differences between the wallet APIs, as their users see them. */
export type VariantRow = {
  readonly segment: 'p' | 's' | 't';
  readonly addressPrefix: string;
  readonly addressBytes: number;
  /** Number of blocks after which a transfer is confirmed. */
  readonly depth: number;
  readonly confirmation?: number;
  readonly identifier: 'transaction_hash' | 'transaction_digest';
  readonly fields: readonly string[];
};

export const variantRows: readonly VariantRow[] = [
  {
    segment: 'p',
    addressPrefix: '0x',
    addressBytes: 20,
    depth: 10,
    identifier: 'transaction_hash',
    fields: [
      'asset_type',
      'block_height',
      'block_timestamp',
      'from',
      'to',
      'transaction_fee',
      'transaction_hash',
      'value',
    ],
  },
  {
    segment: 's',
    addressPrefix: '0x',
    addressBytes: 32,
    depth: 3,
    confirmation: 3,
    identifier: 'transaction_digest',
    fields: [
      'asset_type',
      'block_height',
      'block_timestamp',
      'from',
      'status',
      'to',
      'transaction_digest',
      'transaction_fee',
      'transfer_metadata',
      'value',
    ],
  },
  {
    segment: 't',
    addressPrefix: '0:',
    addressBytes: 32,
    depth: 1,
    identifier: 'transaction_hash',
    fields: [
      'asset_type',
      'block_height',
      'block_timestamp',
      'bounced',
      'from',
      'from_user_friendly_address',
      'message',
      'seq_no',
      'shard',
      'status',
      'to',
      'to_user_friendly_address',
      'transaction_fee',
      'transaction_hash',
      'transfer_hash',
      'transfer_metadata',
      'transfer_type',
      'value',
      'workchain',
    ],
  },
];

type Sent = { readonly block_number: number; readonly block_hash: string } & Record<string, string>;
type Reply = { readonly result: Sent; readonly error?: { readonly message: string } };

/** Skips the tests of a scene, with a reason, on a machine that cannot run a development chain. */
export const skipWithoutDevelopmentChains = (context: Mocha.Context) => {
  try {
    loadEdr();
    createRequire(import.meta.url).resolve('@ton/sandbox');
  } catch {
    skip(context, 'the development chains (EDR or @ton/sandbox is not there for this machine)');
  }
};

/** Starts the service on its development chains, which mine only on request. */
export const openVariants = async () => {
  const service: Service = await startService({
    on: embedded,
    env: {
      CHAIN_C_URL: '',
      CHAIN_P_URL: '',
      CHAIN_S_URL: '',
      CHAIN_T_URL: '',
      CHAINFOLD_DEV_BLOCK_MS: '0',
      CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true',
    },
  });
  const receiver = await startReceiver();
  const client = clientOf(service);
  const control = async (method: string, ...params: unknown[]): Promise<Sent> => {
    const response = await fetch(`${service.url}/c/mainnet/v1/${demoOf(service.home).key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as Reply;
    return error ? assert.fail(error.message) : result;
  };

  const use = (row: VariantRow) => {
    const { segment, addressPrefix, addressBytes, confirmation } = row;
    const api: Client['s'] = client[segment];
    const asset_type = `ASSET_TYPE_${segment.toUpperCase()}`;
    const newAddress = () => `${addressPrefix}${randomBytes(addressBytes).toString('hex')}`;
    const transfersOf = async (request: object) => (await api.listTransfers({ page_size: 100, ...request })).transfers;
    const assetsOf = async (request: object) =>
      (await api.listAssets({ asset_type, page_size: 100, ...request })).assets;
    return {
      ...row,
      api,
      asset_type,
      newAddress,
      transfersOf,
      assetsOf,
      newWallet: async (given: object = {}, address = newAddress()) => {
        const wanted = { name: 'followed', address, ...(confirmation !== undefined && { confirmation }), ...given };
        return { wallet_id: (await api.registerWallet(wanted)).wallet_id, address };
      },
      send: (to: string, value: string, token?: string) =>
        control('dev_transfer', { variant: segment, to, value, ...(token && { token }) }),
      balances: (request: object, expected: readonly string[]) =>
        eventually(async () =>
          assert.deepEqual(
            (await assetsOf(request)).map(({ balance }) => balance),
            expected,
          ),
        ),
    };
  };

  return {
    service,
    receiver,
    control,
    /** Mines `blocks` blocks, at least one. */
    mine: (blocks: number) => control('dev_mine', Math.max(1, blocks)),
    /** Waits until the follower of a variant has read the block at `height`. */
    caughtUp: (tag: string, height: number) =>
      eventually(async () => {
        const metrics = await (await fetch(`${service.url}/metrics`)).text();
        const reached = new RegExp(`chainfold_follower_height\\{chain="${tag}"\\} (\\d+)`).exec(metrics)?.[1];
        assert.ok(Number(reached) >= height, `${reached} of ${height}`);
      }),
    use,
    close: async () => {
      await service.stop();
      await receiver.close();
    },
  };
};
export type Variants = Awaited<ReturnType<typeof openVariants>>;
