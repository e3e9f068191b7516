import { refuse } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { momentAt, type TransferDocument, transfers } from '../../projections/transfers.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import { mergedList, takePage } from '../read-models/merged-page.js';
import type { ListPage, PageRequest, PageTokens } from '../read-models/paging.js';
import { type AddressBook, single } from '../wallets/address-parser.js';
import { requireWallet } from '../wallets/require-wallet.js';

type TransferFilter = {
  readonly walletId: string | undefined;
  readonly address: string | undefined;
  readonly transaction: string | undefined;
  /** Unix seconds, inclusive. */
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
};

export type Transfers = {
  list(context: Context, filter: TransferFilter, page: PageRequest): Promise<ListPage<TransferDocument>>;
};

const keyOf = ({ moment, wallet_id, transfer }: TransferDocument): PageKey => [
  moment,
  `${wallet_id}|${transfer.transaction}|${transfer.index}`,
];

const sourcesOf = ({ walletId, address, transaction }: TransferFilter) => {
  if (transaction !== undefined) return [{ index: 'byTransaction', equal: [transaction] }];
  if (address !== undefined)
    return [
      { index: 'byFrom', equal: [address] },
      { index: 'byTo', equal: [address] },
    ];
  return [{ index: 'byWallet', equal: [walletId ?? ''] }];
};

/** Where records have no state only what is confirmed, and stands, can be shown; what failed moved nothing. */
const isShown = ({ transferForm }: Variant, { state }: TransferDocument) =>
  transferForm !== 'confirmed' || state === 'SUCCESS';

const choose =
  (variant: Variant, { walletId, address, startTime, endTime }: TransferFilter) =>
  (document: TransferDocument) => {
    if (startTime !== undefined && document.block_time < startTime) return 'stop';
    const isOther =
      !isShown(variant, document) ||
      (walletId !== undefined && document.wallet_id !== walletId) ||
      (address !== undefined && document.own_from !== address && document.own_to !== address) ||
      (endTime !== undefined && document.block_time > endTime);
    return isOther ? 'skip' : 'take';
  };

const checkTimes = ({ startTime, endTime }: TransferFilter) => {
  if (startTime === undefined || endTime === undefined || startTime <= endTime) return;
  refuse('INVALID_ARGUMENT', 'start_time is after end_time', [{ path: '/start_time', message: 'is after end_time' }]);
};

export const createTransfers = (ports: {
  readModels: ReadModels;
  addressBook: AddressBook;
  pageTokens: PageTokens;
}): Transfers => {
  const { readModels, addressBook, pageTokens } = ports;

  /** As things are stored: each in its one form. */
  const normal = (context: Context, filter: TransferFilter): TransferFilter => {
    const address =
      filter.address === undefined ? undefined : addressBook.parse(context, single(filter.address))[0]?.[0];
    const transaction =
      filter.transaction === undefined ? undefined : addressBook.transaction(context, filter.transaction);
    return { ...filter, address, transaction };
  };

  return {
    list: async (context, asked, { size, token }) => {
      const filter = normal(context, asked);
      checkTimes(filter);
      if (filter.walletId !== undefined) await requireWallet(readModels, context, filter.walletId);
      const list = [scopeFor(context), 'transfers', JSON.stringify(filter)];
      const end: PageKey | undefined = filter.endTime === undefined ? undefined : [momentAt(filter.endTime + 1), ''];
      const wanted = choose(context.variant, filter);
      const found = mergedList(readModels, {
        collection: transfers,
        scope: scopeFor(context),
        sources: sourcesOf(filter),
        after: pageTokens.read(list, token) ?? end,
        keyOf,
        choose: async (documents) => documents.map(wanted),
      });
      const { documents, next } = await takePage(found, size, keyOf);
      return { documents, nextPageToken: pageTokens.write(list, next) };
    },
  };
};
