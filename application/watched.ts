import type { TokenStandard } from '../domain/asset.js';
import { type BlockRef, createActivities, type Holder, holderKey } from './activities.js';
import { createAddressMap } from './address-map.js';
import { createFollowedContracts } from './followed-contracts.js';
import { createListeners } from './listeners.js';
import type { Recorded } from './ports/event-store.js';

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
};

/** Whom the blocks of one variant may concern. What is said twice is as if said once. */
export const createWatched = (variant: string, seed: number) => {
  const addresses = createAddressMap(seed);
  const holders: Holder[] = [];
  const numbers = new Map<string, number>();
  const confirmations = new Map<number, number>();
  const contracts = createFollowedContracts();
  const activities = createActivities();
  const listeners = createListeners();

  const numberOf = (holder: Holder) => {
    const key = holderKey(holder);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, holders.length);
    holders.push(holder);
    return holders.length - 1;
  };
  const hold = (holder: Holder, address: string) => addresses.add(address, numberOf(holder));
  const confirm = (holder: Holder, confirmation: number | undefined) => {
    if (confirmation !== undefined) confirmations.set(numberOf(holder), confirmation);
  };
  /** By event type. */
  const on: Readonly<Record<string, (holder: Holder, data: Data) => unknown>> = {
    WalletRegistered: (holder, { confirmation }) => confirm(holder, confirmation),
    ConfirmationUpdated: (holder, { confirmation }) => confirm(holder, confirmation),
    AddressRegistered: (holder, { address }) => hold(holder, address),
    AddressRemoved: (holder, { address }) => addresses.remove(address, numberOf(holder)),
    ContractRegistered: ({ organizationId }, { contract, standard }) =>
      contracts.follow(organizationId, contract, standard),
    ContractRemoved: ({ organizationId }, { contract }) => contracts.unfollow(organizationId, contract),
    TransferObserved: (holder, { block }) => activities.set(holder, block, 'pending'),
    BalanceTouched: (holder, { block }) => activities.set(holder, block, 'pending'),
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
    isFollowed: contracts.isFollowed,
    holders: (address: string): readonly Holder[] =>
      addresses.values(address).map((number) => holders[number] as Holder),
    /** Under which standard an organization follows a contract. */
    standardOf: contracts.standardOf,
    listeners: listeners.of,
    /** Null where the wallet has no threshold of its own. */
    confirmation: (holder: Holder) => confirmations.get(numbers.get(holderKey(holder)) ?? -1) ?? null,
  };
};
