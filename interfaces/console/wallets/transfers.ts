import { type WalletApi, walletApis } from '../session/directory.js';
import { client } from '../session/session.js';

/** Transfer of any API, reduced to the fields that all pages show. */
export type ListedTransfer = {
  readonly api: WalletApi;
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly asset: string;
  readonly state: string;
  readonly time: string;
};
type AnyTransfer = Readonly<Record<string, unknown>>;

const textOf = (value: unknown) => (value === undefined || value === null ? '' : String(value));

/** Returns the name of an asset: the symbol of its token if one is known, else its type. */
export const assetName = (type: unknown, metadata: unknown): string => {
  const tokens = Object.values((metadata ?? {}) as Record<string, unknown>);
  const all = [metadata, ...tokens].filter((one): one is AnyTransfer => typeof one === 'object' && one !== null);
  const symbol = all.map(({ symbol, name }) => textOf(symbol) || textOf(name)).find(Boolean);
  return symbol ?? textOf(type).replace('ASSET_TYPE_', '');
};

/** Converts a transfer of any API to the fields that all pages show. */
export const listTransfer = (api: WalletApi, transfer: AnyTransfer): ListedTransfer => ({
  api,
  hash: textOf(transfer.transaction_hash ?? transfer.transaction_digest),
  from: textOf(transfer.from),
  to: textOf(transfer.to),
  value: textOf(transfer.value),
  asset: assetName(transfer.asset_type, transfer.transfer_metadata),
  state: textOf(transfer.transfer_state ?? transfer.status ?? 'TRANSFER_STATE_SUCCESS').replace('TRANSFER_STATE_', ''),
  time: transfer.block_timestamp ? new Date(Number(transfer.block_timestamp) * 1000).toISOString() : '',
});

type Wanted = { readonly wallet_id: string } | { readonly hash: string };
export type TransferPage = { readonly transfers: readonly ListedTransfer[]; readonly next: string };

/** Reads one page of transfers of a wallet or transaction, as of an ISO time if one is given. */
export const readTransfers = async (
  api: WalletApi,
  wanted: Wanted,
  token: string,
  signal: AbortSignal,
  asOf = '',
): Promise<TransferPage> => {
  const hashField = api === 's' ? 'transaction_digest' : 'transaction_hash';
  const field = 'hash' in wanted ? { [hashField]: wanted.hash } : wanted;
  const request = { ...field, page_size: 25, ...(token && { page_token: token }) };
  // Casts to `never`, because the request types of the APIs differ. `field` has the name that `api` requires.
  const { transfers, pagination } = await client[api].listTransfers(request as never, {
    signal,
    ...(asOf && { asOf }),
  });
  return { transfers: transfers.map((one) => listTransfer(api, one)), next: pagination.next_page_token };
};

export type Balance = { readonly asset: string; readonly balance: string };

/** Reads the balances of a wallet, summed over its addresses, as of an ISO time if one is given. */
export const readBalances = async (
  api: WalletApi,
  wallet_id: string,
  signal: AbortSignal,
  asOf = '',
): Promise<readonly Balance[]> => {
  const types = walletApis.find((one) => one.api === api)?.assetTypes ?? [];
  const pages = await Promise.all(
    types.map(async (asset_type) => {
      const request = { wallet_id, asset_type, is_aggregated: true, page_size: 100 };
      // Casts to `never`, because the request types of the APIs differ. `types` lists only asset types of `api`.
      const { assets } = await client[api].listAssets(request as never, { signal, ...(asOf && { asOf }) });
      return assets as readonly { balance: string; asset_type: string; asset_metadata?: object }[];
    }),
  );
  return pages
    .flat()
    .map(({ balance, asset_type, asset_metadata }) => ({ asset: assetName(asset_type, asset_metadata), balance }));
};
