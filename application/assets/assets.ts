import { type Asset, assetKey } from '../../domain/asset.js';
import { type AddressDocument, addresses } from '../../projections/addresses.js';
import { type AssetDocument, assets } from '../../projections/assets.js';
import { type ContractDocument, contracts } from '../../projections/contracts.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import { mergedList, takePage } from '../read-models/merged-page.js';
import type { ListPage, PageRequest, PageTokens } from '../read-models/paging.js';
import type { AddressBook } from '../wallets/address-parser.js';
import { requireWallet } from '../wallets/require-wallet.js';

type AssetFilter = {
  readonly standard: Asset['standard'];
  readonly walletId: string | undefined;
  readonly address: string | undefined;
  readonly contract: string | undefined;
  /** Names an asset of any standard. */
  readonly token?: string | undefined;
  readonly excludeZero: boolean;
};

export type AssetBalance = Pick<AssetDocument, 'wallet_id' | 'address' | 'asset' | 'balance'> & {
  readonly user_friendly_address: string;
};

export type Assets = {
  list(context: Context, filter: AssetFilter, page: PageRequest): Promise<ListPage<AssetBalance>>;
  /** The balances of all addresses added up, one for each asset; `address` is empty. */
  listAggregated(context: Context, filter: AssetFilter, page: PageRequest): Promise<ListPage<AssetBalance>>;
};

const keyOf = ({ position, wallet_id, address, asset }: AssetDocument): PageKey => [
  position,
  `${wallet_id}|${address}|${assetKey(asset)}`,
];

const contractOf = (asset: Asset) => ('contract' in asset ? asset.contract : '');

const sourceOf = ({ standard, walletId, address }: AssetFilter) => {
  if (address !== undefined) return { index: 'byAddress', equal: [address, standard] };
  if (walletId !== undefined) return { index: 'byWallet', equal: [walletId, standard] };
  return { index: 'byStandard', equal: [standard] };
};

const fits = ({ walletId, contract, excludeZero }: AssetFilter, { wallet_id, asset, balance }: AssetDocument) =>
  (walletId === undefined || wallet_id === walletId) &&
  (contract === undefined || ('contract' in asset && asset.contract === contract)) &&
  !(excludeZero && balance === '0');

/** Tokens, from when they were imported for the address or their contract was registered. */
const isFollowed = (
  { asset, read_position }: AssetDocument,
  { imports = [] }: AddressDocument,
  contract: ContractDocument | null | undefined,
) =>
  (contract?.registered === 'yes' && contract.position < read_position) ||
  imports.some((one) => assetKey(one.asset) === assetKey(asset) && one.position < read_position);

/** What was removed, an address or a contract, has no assets to show, and what came back none from before. */
const areHeld = async (readModels: ReadModels, context: Context, documents: readonly AssetDocument[]) => {
  const scope = scopeFor(context);
  const [held, followed] = await Promise.all([
    readModels.getMany(
      addresses,
      documents.map(({ address }) => ({ scope, id: address })),
    ),
    readModels.getMany(
      contracts,
      documents.map(({ asset }) => ({ scope, id: contractOf(asset) })),
    ),
  ]);
  return documents.map((document, i) => {
    const [holder, contract] = [held[i], followed[i]];
    if (holder?.wallet_id !== document.wallet_id || holder.position >= document.read_position) return false;
    return document.standard === 'native' || isFollowed(document, holder, contract);
  });
};

/** By asset, in the order of their keys. */
const addUp = async (found: AsyncIterable<AssetDocument>) => {
  const sums = new Map<string, { asset: Asset; balance: bigint; wallets: Set<string> }>();
  for await (const { asset, balance, wallet_id } of found) {
    const key = assetKey(asset);
    const sum = sums.get(key) ?? { asset, balance: 0n, wallets: new Set() };
    sum.balance += BigInt(balance);
    sum.wallets.add(wallet_id);
    sums.set(key, sum);
  }
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
};

export const createAssets = (ports: {
  readModels: ReadModels;
  addressBook: AddressBook;
  pageTokens: PageTokens;
}): Assets => {
  const { readModels, addressBook, pageTokens } = ports;

  const normal = (context: Context, filter: AssetFilter): AssetFilter => {
    const stored = (text: string | undefined, path: string) =>
      text === undefined ? undefined : addressBook.parse(context, [{ text, path }])[0]?.[0];
    const { address, contract, token } = filter;
    const known = { ...filter, address: stored(address, '/address'), contract: stored(contract, '/contract_address') };
    if (token === undefined) return known;
    const asset = addressBook.asset(context, token);
    return { ...known, standard: asset.standard, contract: 'contract' in asset ? asset.contract : undefined };
  };
  const prepare = async (context: Context, asked: AssetFilter, name: string) => {
    const filter = normal(context, asked);
    if (filter.walletId !== undefined) await requireWallet(readModels, context, filter.walletId);
    return { filter, list: [scopeFor(context), name, JSON.stringify(filter)] };
  };
  const find = (context: Context, filter: AssetFilter, after: PageKey | undefined) =>
    mergedList(readModels, {
      collection: assets,
      scope: scopeFor(context),
      sources: [sourceOf(filter)],
      after,
      keyOf,
      choose: async (documents) => {
        const held = await areHeld(readModels, context, documents);
        return documents.map((document, i) => (held[i] && fits(filter, document) ? 'take' : 'skip'));
      },
    });

  return {
    list: async (context, asked, { size, token }) => {
      const { filter, list } = await prepare(context, asked, 'assets');
      const found = find(context, filter, pageTokens.read(list, token));
      const { documents, next } = await takePage(found, size, keyOf);
      const friendly = (address: string) => addressBook.show(context, address).user_friendly_address;
      return {
        documents: documents.map((one) => ({ ...one, user_friendly_address: friendly(one.address) })),
        nextPageToken: pageTokens.write(list, next),
      };
    },
    listAggregated: async (context, asked, { size, token }) => {
      const { filter, list } = await prepare(context, asked, 'aggregated assets');
      const after = pageTokens.read(list, token)?.[1] ?? '';
      const sums = await addUp(find(context, { ...filter, excludeZero: false }, undefined));
      const wanted = sums.filter(([key, { balance }]) => key > after && !(filter.excludeZero && balance === 0n));
      const shown = wanted.slice(0, size);
      const last = shown.at(-1);
      return {
        documents: shown.map(([, { asset, balance, wallets }]) => {
          const [only = '', ...others] = wallets;
          const wallet_id = filter.walletId ?? (others.length === 0 ? only : '');
          return { wallet_id, address: '', user_friendly_address: '', asset, balance: String(balance) };
        }),
        nextPageToken: pageTokens.write(list, wanted.length > size && last ? [0, last[0]] : null),
      };
    },
  };
};
