import type { Asset } from '../../domain/asset.js';
import { type AddressTokenDocument, addresses, addressImports } from '../../projections/addresses.js';
import { type AssetDocument, assetDocumentId, assets } from '../../projections/assets.js';
import { type ContractDocument, contracts } from '../../projections/contracts.js';
import type { Collection } from '../../projections/define.js';
import type { LoopTurns } from '../async/turns/loop-turns.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import { mergedList, takePage } from '../read-models/merged-page.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import type { ListPage, PageRequest } from '../read-models/paging.js';
import type { AddressParser } from '../wallets/address-parser.js';
import { requireWallet } from '../wallets/require-wallet.js';

type AssetFilter = {
  readonly standard: Asset['standard'];
  readonly walletId: string | undefined;
  readonly address: string | undefined;
  readonly contract: string | undefined;
  /**
   * Token address of the only asset to list; `standard` and `contract` are then ignored. Undefined to list the balances
   * that `standard` and `contract` select.
   */
  readonly token?: string | undefined;
  /** True to list imported tokens in addition to `standard`, unless `token` is given. */
  readonly withTokens?: boolean;
  readonly excludeZero: boolean;
};

export type AssetBalance = Pick<AssetDocument, 'wallet_id' | 'address' | 'asset' | 'balance'> & {
  readonly user_friendly_address: string;
};

export type Assets = {
  list(context: Context, filter: AssetFilter, page: PageRequest): Promise<ListPage<AssetBalance>>;
  /** Lists each asset with the sum of its balances over all addresses; `address` is empty. */
  listAggregated(context: Context, filter: AssetFilter, page: PageRequest): Promise<ListPage<AssetBalance>>;
};

const idOf = ({ wallet_id, address, asset }: AssetDocument) => assetDocumentId(wallet_id, address, asset);
const keyOf = (document: AssetDocument): PageKey => [document.position, idOf(document)];
const assetKeyOf = (document: AssetDocument): PageKey => [document.asset_key, idOf(document)];
/**
 * Returns a page key that comes after all balances of the asset with this key, including balances that are stored
 * later.
 */
const afterAsset = (key: string): PageKey => [`${key}\u0001`, ''];

const contractOf = (asset: Asset) => ('contract' in asset ? asset.contract : '');

/** Names of the indexes that sort balances newest first, and of the indexes that sort balances by asset. */
const newestFirst = { byAddress: 'byAddress', byWallet: 'byWallet', byStandard: 'byStandard' } as const;
const inAssetOrder = {
  byAddress: 'assetsByAddress',
  byWallet: 'assetsByWallet',
  byStandard: 'assetsByStandard',
} as const;
type Indexes = Readonly<Record<keyof typeof newestFirst, string>>;

const sourcesOf = ({ standard, walletId, address, token, withTokens }: AssetFilter, indexes: Indexes) => {
  const standards: Asset['standard'][] = withTokens && token === undefined ? [standard, 'token'] : [standard];
  return standards.map((one) => {
    if (address !== undefined) return { index: indexes.byAddress, equal: [address, one] };
    if (walletId !== undefined) return { index: indexes.byWallet, equal: [walletId, one] };
    return { index: indexes.byStandard, equal: [one] };
  });
};

const fits = ({ walletId, contract, excludeZero }: AssetFilter, { wallet_id, asset, balance }: AssetDocument) =>
  (walletId === undefined || wallet_id === walletId) &&
  (contract === undefined || ('contract' in asset && asset.contract === contract)) &&
  !(excludeZero && balance === '0');

/**
 * Returns a map of the documents by id, with null for missing documents. Reads each document once, however often its id
 * is given.
 */
const readDistinct = async <Doc>(
  readModels: ReadModels,
  collection: Collection<Doc>,
  scope: string,
  ids: Iterable<string>,
) => {
  const distinct = [...new Set(ids)];
  const keys = distinct.map((id) => ({ scope, id }));
  const found = await readModels.getMany(collection, keys);
  return new Map(distinct.map((id, i) => [id, found[i] ?? null]));
};

/**
 * Returns true when the token was imported, or its contract registered, before the balance was read. An import that is
 * older than the latest registration of the address (at position `since`) does not count.
 */
const isFollowed = (
  { read_position }: AssetDocument,
  since: number,
  contract: ContractDocument | null | undefined,
  imported: AddressTokenDocument | null | undefined,
) =>
  (contract?.registered === 'yes' && contract.position < read_position) ||
  (imported ? imported.position > since && imported.position < read_position : false);

/**
 * Returns for each balance whether its address and asset are followed. Balances of removed addresses, and balances read
 * before the latest registration of their address, are not followed.
 */
export const areHeld = async (readModels: ReadModels, context: Context, documents: readonly AssetDocument[]) => {
  const scope = scopeFor(context);
  const [held, followed, imported] = await Promise.all([
    readDistinct(
      readModels,
      addresses,
      scope,
      documents.map(({ address }) => address),
    ),
    readDistinct(
      readModels,
      contracts,
      scope,
      documents.map(({ asset }) => contractOf(asset)),
    ),
    readDistinct(readModels, addressImports, scope, documents.filter(({ standard }) => standard === 'token').map(idOf)),
  ]);
  return documents.map((document) => {
    const holder = held.get(document.address);
    if (holder?.wallet_id !== document.wallet_id || holder.position >= document.read_position) return false;
    if (document.standard === 'native') return true;
    const contract = followed.get(contractOf(document.asset));
    return isFollowed(document, holder.position, contract, imported.get(idOf(document)));
  });
};

/**
 * Sum of balances of one asset. `wallet` is the wallet of the balances; empty once balances of different wallets were
 * added.
 */
type Sum = { readonly key: string; readonly asset: Asset; balance: bigint; wallet: string };

/**
 * Yields the documents and charges the caller for each document, because one row of the response may sum many
 * documents.
 */
const charged = async function* <Doc>({ touch }: Context, found: AsyncIterable<Doc>) {
  for await (const document of found) {
    touch?.(1);
    yield document;
  }
};

/** Sums balances that are sorted by asset, and stops after the first `maxAssets` assets. */
const sumByAsset = async (found: AsyncIterable<AssetDocument>, maxAssets: number): Promise<readonly Sum[]> => {
  const sums: Sum[] = [];
  for await (const { asset_key: key, asset, balance, wallet_id: wallet } of found) {
    let sum = sums.at(-1);
    if (sum?.key !== key) {
      if (sums.length === maxAssets) break;
      sum = { key, asset, balance: 0n, wallet };
      sums.push(sum);
    }
    sum.balance += BigInt(balance);
    if (sum.wallet !== wallet) sum.wallet = '';
  }
  return sums;
};

export const createAssets = (ports: {
  readModels: ReadModels;
  turns: LoopTurns;
  addressParser: AddressParser;
  pageTokens: PageTokens;
}): Assets => {
  const { readModels, addressParser, pageTokens, turns } = ports;

  const normalize = (context: Context, filter: AssetFilter): AssetFilter => {
    const stored = (text: string | undefined, path: string) =>
      text === undefined ? undefined : addressParser.parse(context, [{ text, path }])[0]?.[0];
    const { address, contract, token } = filter;
    const known = { ...filter, address: stored(address, '/address'), contract: stored(contract, '/contract_address') };
    if (token === undefined) return known;
    const asset = addressParser.asset(context, token);
    return { ...known, standard: asset.standard, contract: 'contract' in asset ? asset.contract : undefined };
  };
  const prepare = async (context: Context, given: AssetFilter, name: string) => {
    const filter = normalize(context, given);
    if (filter.walletId !== undefined) await requireWallet(readModels, context, filter.walletId);
    return { filter, list: [scopeFor(context), name, JSON.stringify(filter)] };
  };
  type Order = Pick<Parameters<typeof mergedList<AssetDocument>>[1], 'sources' | 'after' | 'keyOf' | 'oldestFirst'>;
  const find = (context: Context, filter: AssetFilter, order: Order) =>
    mergedList(readModels, {
      collection: assets,
      inTurn: (read) => turns(context.organizationId, read),
      scope: scopeFor(context),
      caller: context,
      ...order,
      choose: async (documents) => {
        const held = await areHeld(readModels, context, documents);
        return documents.map((document, i) => (held[i] && fits(filter, document) ? 'take' : 'skip'));
      },
    });

  return {
    list: async (context, given, { size, token }) => {
      const { filter, list } = await prepare(context, given, 'assets');
      const after = pageTokens.read(list, token);
      const found = find(context, filter, { sources: sourcesOf(filter, newestFirst), after, keyOf });
      const { documents, next } = await takePage(found, size, keyOf);
      const friendly = (address: string) => addressParser.show(context, address).user_friendly_address;
      return {
        documents: documents.map((one) => ({ ...one, user_friendly_address: friendly(one.address) })),
        nextPageToken: pageTokens.write(list, next),
      };
    },
    listAggregated: async (context, given, { size, token }) => {
      const { filter, list } = await prepare(context, given, 'aggregated assets');
      const last = pageTokens.read(list, token)?.[1];
      const found = find(context, filter, {
        sources: sourcesOf(filter, inAssetOrder),
        after: last === undefined ? undefined : afterAsset(last),
        keyOf: assetKeyOf,
        oldestFirst: true,
      });
      // No balance is negative, so a sum is zero only if each of its balances is zero.
      const sums = await sumByAsset(charged(context, found), size + 1);
      const shown = sums.slice(0, size);
      return {
        documents: shown.map(({ asset, balance, wallet }) => {
          const wallet_id = filter.walletId ?? wallet;
          return { wallet_id, address: '', user_friendly_address: '', asset, balance: String(balance) };
        }),
        nextPageToken: pageTokens.write(list, sums.length > size ? [0, shown.at(-1)?.key ?? ''] : null),
      };
    },
  };
};
