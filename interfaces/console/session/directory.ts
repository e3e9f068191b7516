import type { CWallet, Webhook } from '../../../sdk/typescript/src/generated.js';
import { client } from './session.js';

/** Wallet APIs, each with the asset types that it lists. */
export const walletApis = [
  { api: 'c', assetTypes: ['ASSET_TYPE_C', 'ASSET_TYPE_ERC20', 'ASSET_TYPE_ERC721', 'ASSET_TYPE_ERC1155'] },
  { api: 'p', assetTypes: ['ASSET_TYPE_P'] },
  { api: 's', assetTypes: ['ASSET_TYPE_S'] },
  { api: 't', assetTypes: ['ASSET_TYPE_T'] },
] as const;
export type WalletApi = (typeof walletApis)[number]['api'];

export const isWalletApi = (text: string): text is WalletApi => walletApis.some(({ api }) => api === text);

/** Fields that the wallets of all APIs have. */
type Wallet = Pick<CWallet, 'wallet_id' | 'name' | 'addresses' | 'create_time' | 'update_time'>;
export type ListedWallet = Wallet & { readonly api: WalletApi };
export type ListedWebhook = Webhook & { readonly api: WalletApi };

const pageSize = 100;

/**
 * Lists the newest wallets of every API, at most 100 per API. Lists them as of the ISO time `asOf` if it is not empty.
 */
export const listWallets = async (signal?: AbortSignal, asOf = ''): Promise<readonly ListedWallet[]> => {
  const options = { ...(signal && { signal }), ...(asOf && { asOf }) };
  const lists = await Promise.all(
    walletApis.map(async ({ api }) => {
      const { wallets } = await client[api].listWallets({ page_size: pageSize }, options);
      return wallets.map((wallet) => ({ ...wallet, api }));
    }),
  );
  return lists.flat().toSorted((a, b) => b.create_time.localeCompare(a.create_time));
};

/** Lists the newest webhooks of every API, at most 100 per API. */
export const listWebhooks = async (signal?: AbortSignal): Promise<readonly ListedWebhook[]> => {
  const options = signal ? { signal } : {};
  const lists = await Promise.all(
    walletApis.map(async ({ api }) => {
      const { webhooks } = await client[api].listWebhooks({ page_size: pageSize }, options);
      return webhooks.map((webhook) => ({ ...webhook, api }));
    }),
  );
  return lists.flat();
};
