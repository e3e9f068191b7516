import { invalid } from '../../domain/failure.js';
import { canReorg, type TransferForm } from '../../domain/variant.js';
import { sortableTime, type TransferDocument, transfers } from '../../projections/transfers.js';
import type { LoopTurns } from '../async/turns/loop-turns.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import { mergedList, takePage } from '../read-models/merged-page.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import type { ListPage, PageRequest } from '../read-models/paging.js';
import { type AddressParser, singleAddress } from '../wallets/address-parser.js';
import { requireWallet } from '../wallets/require-wallet.js';

type TransferFilter = {
  readonly walletId: string | undefined;
  readonly address: string | undefined;
  readonly transaction: string | undefined;
  /**
   * Earliest and latest time of the blocks with the transfers to list, in Unix seconds, inclusive; undefined for no
   * bound.
   */
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

type IsShown = (document: TransferDocument) => boolean;

/**
 * Returns a function that selects the transfers to list. In forms without a state field, transfers that a reorg may
 * still undo are not listed.
 */
const shownIn = (form: TransferForm, mayVanish: boolean): IsShown => {
  if (form === 'stateful') return () => true;
  if (form === 'confirmed') return ({ state }) => state === 'SUCCESS';
  return ({ state }) => !mayVanish || state === 'SUCCESS' || state === 'FAILED';
};

const choose =
  (isShown: IsShown, { walletId, address, startTime, endTime }: TransferFilter) =>
  (document: TransferDocument) => {
    if (startTime !== undefined && document.block_time < startTime) return 'stop';
    const isOther =
      !isShown(document) ||
      (walletId !== undefined && document.wallet_id !== walletId) ||
      (address !== undefined && document.own_from !== address && document.own_to !== address) ||
      (endTime !== undefined && document.block_time > endTime);
    return isOther ? 'skip' : 'take';
  };

const checkTimes = ({ startTime, endTime }: TransferFilter) => {
  if (startTime === undefined || endTime === undefined || startTime <= endTime) return;
  invalid('/start_time', 'must not be after end_time');
};

export const createTransfers = (ports: {
  readModels: ReadModels;
  turns: LoopTurns;
  addressParser: AddressParser;
  pageTokens: PageTokens;
  chains: Pick<Chains, 'familyOf'>;
}): Transfers => {
  const { readModels, addressParser, pageTokens, chains, turns } = ports;

  /** Converts addresses and transaction ids of the filter to their stored forms. */
  const normalize = (context: Context, filter: TransferFilter): TransferFilter => {
    const address =
      filter.address === undefined ? undefined : addressParser.parse(context, singleAddress(filter.address))[0]?.[0];
    const transaction =
      filter.transaction === undefined ? undefined : addressParser.transaction(context, filter.transaction);
    return { ...filter, address, transaction };
  };

  return {
    list: async (context, given, { size, token }) => {
      const filter = normalize(context, given);
      checkTimes(filter);
      if (filter.walletId !== undefined) await requireWallet(readModels, context, filter.walletId);
      const list = [scopeFor(context), 'transfers', JSON.stringify(filter)];
      const end: PageKey | undefined =
        filter.endTime === undefined ? undefined : [sortableTime(filter.endTime + 1), ''];
      const { variant } = context;
      const wanted = choose(shownIn(variant.transferForm, canReorg(chains.familyOf(variant))), filter);
      const found = mergedList(readModels, {
        collection: transfers,
        inTurn: (read) => turns(context.organizationId, read),
        scope: scopeFor(context),
        caller: context,
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
