import type { Asset, ImportedToken, TokenStandard } from '../../domain/asset.js';
import type { Recorded } from '../ports/event-store.js';
import { type BlockRef, createActivities, type Holder } from './activities.js';
import { createAddressMap } from './address-map.js';
import { createDueImports } from './due-imports.js';
import { createFollowedContracts } from './followed-contracts.js';
import { createHolders } from './holder-numbers.js';
import { createImports } from './imported-tokens.js';
import { createListeners } from './webhook-listeners.js';

type Data = {
  readonly walletId: string;
  readonly address: string;
  readonly confirmation?: number;
  readonly contract: string;
  readonly standard: TokenStandard;
  readonly block: BlockRef;
  readonly due?: boolean;
  readonly open?: boolean;
  readonly webhookId: string;
  readonly importAsset?: true;
  readonly asset: Asset;
  readonly account?: string;
};

type Import = {
  readonly address: string;
  readonly asset: ImportedToken;
  readonly account?: string | undefined;
};

/** Whom the blocks of one variant may concern. What is said twice is as if said once. */
export const createWatched = (variant: string, seed: number) => {
  const addresses = createAddressMap(seed);
  const { numberOf, of, confirm, confirmation } = createHolders();
  const contracts = createFollowedContracts();
  const imports = createImports(seed);
  const dueImports = createDueImports();
  const activities = createActivities();
  const listeners = createListeners();

  const hold = (holder: Holder, address: string) => addresses.add(address, numberOf(holder));
  const importToken = (holder: Holder, { address: owner, asset, account }: Import) =>
    imports.add(numberOf(holder), { owner, asset }, account);
  /** By event type. */
  const on: Readonly<Record<string, (holder: Holder, data: Data) => unknown>> = {
    WalletRegistered: (holder, { confirmation }) => confirm(holder, confirmation),
    ConfirmationUpdated: (holder, { confirmation }) => confirm(holder, confirmation),
    AddressRegistered: (holder, { address, importAsset }) => {
      hold(holder, address);
      if (importAsset) dueImports.add(holder, address);
    },
    AddressRemoved: (holder, { address }) => {
      addresses.remove(address, numberOf(holder));
      imports.remove(address, numberOf(holder));
      dueImports.remove(holder, address);
    },
    AssetImported: (holder, data) => importToken(holder, data as Import),
    ContractRegistered: ({ organizationId }, { contract, standard }) =>
      contracts.follow(organizationId, contract, standard),
    ContractRemoved: ({ organizationId }, { contract }) => contracts.unfollow(organizationId, contract),
    TransferObserved: (holder, { block }) => activities.set(holder, block, 'pending'),
    BalanceTouched: (holder, { block }) => activities.set(holder, block, 'pending'),
    BalanceRead: (holder, { address, asset }) => {
      if (asset.standard === 'native') dueImports.remove(holder, address);
    },
    ActivitySettled: (holder, { block, open }) => activities.settle(holder, block, open ? 'open' : 'settled'),
    ActivityClosed: (holder, { block }) => activities.settle(holder, block, 'settled'),
    WebhookRegistered: ({ organizationId, walletId }, { webhookId, confirmation = 0 }) =>
      listeners.add(organizationId, { webhookId, walletId, confirmation }),
    WebhookRemoved: ({ organizationId }, { webhookId }) => listeners.remove(organizationId, webhookId),
    ActivityDropped: (holder, { block, due }) =>
      due ? activities.set(holder, block, 'due') : activities.forget(holder, block),
  };

  return {
    activities,
    dueImports: dueImports.all,
    importToken,
    hold,
    confirm,
    follow: contracts.follow,
    listen: listeners.add,
    apply: ({ type, data, metadata }: Recorded) => {
      if (metadata.variant !== variant) return;
      const { walletId = '' } = data as { walletId?: string };
      on[type]?.({ organizationId: metadata.organizationId, walletId }, data as Data);
    },
    isHeld: addresses.has,
    isFollowed: (contract: string) => contracts.isFollowed(contract) || imports.has(contract),
    tokenAccount: imports.tokenAccount,
    isImported: (holder: Holder, address: string, contract: string) =>
      imports.isImported(contract, address, numberOf(holder)),
    holders: (address: string): readonly Holder[] => addresses.values(address).map(of),
    /** Under which standard an organization follows a contract. */
    standardOf: contracts.standardOf,
    listeners: listeners.of,
    confirmation,
  };
};
