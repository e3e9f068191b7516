import { subscribesToActivity } from '../../domain/aggregates/webhook.js';
import type { Asset, ImportedToken, RegisteredStandard } from '../../domain/asset.js';
import { UnreadableEvent } from '../../domain/upcasters.js';
import { beginning, type Position, type Recorded } from '../ports/event-store.js';
import { type BlockRef, createActivities, type Holder } from './activities.js';
import { createAddressMap } from './address-map.js';
import { createDepartures, type Departure } from './departures.js';
import { createDueImports } from './due-imports.js';
import { createFollowedContracts } from './followed-contracts.js';
import { createHolderNumbers } from './holder-numbers.js';
import { createImportedTokens } from './imported-tokens.js';
import { createWebhookListeners } from './webhook-listeners.js';

type Data = {
  readonly walletId: string;
  readonly address: string;
  readonly head?: number;
  readonly confirmation?: number;
  readonly contract: string;
  readonly standard: RegisteredStandard;
  readonly block: BlockRef;
  readonly due?: boolean;
  readonly open?: boolean;
  readonly unread?: true;
  readonly webhookId: string;
  readonly notificationTypes?: readonly string[];
  readonly final?: true;
  readonly importAsset?: true;
  readonly imported?: true;
  readonly asset: Asset;
  readonly account?: string;
};

type Import = {
  readonly address: string;
  readonly asset: ImportedToken;
  readonly account?: string | undefined;
};

const createParts = (seed: number) => ({
  addresses: createAddressMap(seed),
  holders: createHolderNumbers(),
  contracts: createFollowedContracts(),
  imports: createImportedTokens(seed),
  departures: createDepartures(),
  dueImports: createDueImports(),
  activities: createActivities(),
  listeners: createWebhookListeners(),
});
type Parts = ReturnType<typeof createParts>;
type Handlers = Readonly<Record<string, (holder: Holder, data: Data, before: Position) => unknown>>;

const hold = ({ addresses, holders, departures }: Parts, holder: Holder, address: string) => {
  departures.remove(holder, address);
  addresses.add(address, holders.numberOf(holder));
};
const release = ({ addresses, holders, imports }: Parts, holder: Holder, address: string) => {
  addresses.remove(address, holders.numberOf(holder));
  imports.remove(address, holders.numberOf(holder));
};
const depart = (parts: Parts, departure: Departure) => {
  const { holder, address } = departure;
  hold(parts, holder, address);
  parts.departures.add(departure);
};
const claimAccount = ({ imports, holders }: Parts, holder: Holder, { address: owner, asset, account }: Import) => {
  if (account !== undefined) imports.claim(holders.numberOf(holder), { owner, asset }, account);
};
const importToken = ({ imports, holders }: Parts, holder: Holder, { address: owner, asset, account }: Import) =>
  imports.add(holders.numberOf(holder), { owner, asset }, account);

/**
 * Adds an activity. An activity that a history import found is confirmed already, but a reorg may still replace its
 * block.
 */
const observe = (activities: Parts['activities'], holder: Holder, block: BlockRef, imported: true | undefined) => {
  if (!imported) activities.set(holder, block, 'pending');
  else if (!activities.current({ ...holder, block })) activities.set(holder, block, 'settled');
};

/** Handlers of activity events, by event type. */
const activityHandlers = ({ activities }: Parts): Handlers => ({
  TransferObserved: (holder, { block, imported }) => observe(activities, holder, block, imported),
  BalanceTouched: (holder, { block, imported }) => observe(activities, holder, block, imported),
  ActivitySettled: (holder, { block, open, unread }) =>
    activities.settle(holder, block, open ? 'open' : 'settled', unread),
  ActivityClosed: (holder, { block }) => activities.close(holder, block),
  ActivityDropped: (holder, { block, due }) =>
    due ? activities.set(holder, block, 'due') : activities.forget(holder, block),
});

/** Handlers of webhook events, by event type. */
const webhookHandlers = ({ listeners, activities }: Parts): Handlers => {
  const listen: Handlers[string] = ({ organizationId, walletId }, { webhookId, notificationTypes, ...data }) => {
    const { confirmation = 0, final } = data;
    if (subscribesToActivity(notificationTypes))
      listeners.add(organizationId, { webhookId, walletId, confirmation, ...(final && { final }) });
    else listeners.remove(organizationId, webhookId);
    activities.reconsider(organizationId);
  };
  return {
    WebhookRegistered: listen,
    WebhookUpdated: listen,
    WebhookRemoved: ({ organizationId }, { webhookId }) => {
      listeners.remove(organizationId, webhookId);
      activities.reconsider(organizationId);
    },
  };
};

/** Handlers of all other relevant events, by event type. */
const handlersOf = (parts: Parts): Handlers => {
  const { holders, contracts, dueImports, activities } = parts;
  const { confirm } = holders;
  return {
    WalletRegistered: (holder, { confirmation }) => confirm(holder, confirmation),
    ConfirmationUpdated: (holder, { confirmation }) => {
      confirm(holder, confirmation);
      activities.reconsider(holder.organizationId);
    },
    AddressRegistered: (holder, { address, importAsset }, before) => {
      hold(parts, holder, address);
      if (importAsset) dueImports.add(holder, address, before);
    },
    AddressRemoved: (holder, { address, head }) => {
      dueImports.remove(holder, address);
      if (head === undefined) release(parts, holder, address);
      else depart(parts, { holder, address, head });
    },
    AssetImported: (holder, data) => importToken(parts, holder, data as Import),
    TokenAccountFound: (holder, data) => claimAccount(parts, holder, data as Import),
    ContractRegistered: ({ organizationId }, { contract, standard }) =>
      contracts.follow(organizationId, contract, standard),
    ContractRemoved: ({ organizationId }, { contract }) => contracts.unfollow(organizationId, contract),
    BalanceRead: (holder, { address, asset }) => {
      if (asset.standard === 'native') dueImports.remove(holder, address);
    },
  };
};

/**
 * Ignores an unreadable event of an activity: the newer release that wrote it continues the activity from its ledger.
 * Any other unreadable event stops the follower, because skipping it could miss deposits.
 */
const passOver = (error: unknown, isOfActivity: boolean) => {
  if (!(isOfActivity && error instanceof UnreadableEvent)) throw error;
};

/** Index of the wallets that blocks of one variant may affect. Applying an event twice changes nothing. */
export const createWatchIndex = (variant: string, seed: number) => {
  const parts = createParts(seed);
  const { addresses, holders, contracts, imports, departures, dueImports, activities, listeners } = parts;
  const holdersOf = (address: string) => addresses.values(address).map(holders.of);
  const isFollowed = (contract: string) => contracts.isFollowed(contract) || imports.has(contract);
  const ofActivities = activityHandlers(parts);
  const on: Handlers = { ...handlersOf(parts), ...webhookHandlers(parts), ...ofActivities };

  return {
    activities,
    dueImports,
    importToken: (holder: Holder, imported: Import) => importToken(parts, holder, imported),
    claimAccount: (holder: Holder, found: Import) => claimAccount(parts, holder, found),
    hold: (holder: Holder, address: string) => hold(parts, holder, address),
    depart: (departure: Departure) => depart(parts, departure),
    /**
     * Drops activities without unfinished work, and removed addresses, that concern only blocks up to a final height.
     */
    finalize: (height: number) => {
      activities.forgetSettled(height);
      for (const { holder, address } of departures.takeUpTo(height)) release(parts, holder, address);
    },
    confirm: holders.confirm,
    follow: contracts.follow,
    listen: listeners.add,
    /** Applies an event. `before` is a position before the event. */
    apply: ({ type, data, metadata }: Recorded, before: Position = beginning) => {
      if (metadata.variant !== variant || !Object.hasOwn(on, type)) return;
      try {
        const { walletId = '' } = data as { walletId?: string };
        on[type]?.({ organizationId: metadata.organizationId, walletId }, data as Data, before);
      } catch (error) {
        passOver(error, Object.hasOwn(ofActivities, type));
      }
    },
    isHeld: addresses.has,
    isFollowed,
    tokenAccounts: (account: string) =>
      imports.tokenAccounts(account).filter(({ asset }) => isFollowed(asset.contract)),
    isImported: (holder: Holder, address: string, contract: string) =>
      imports.isImported(contract, address, holders.numberOf(holder)),
    /** Returns the wallets that hold the address now. */
    holders: (address: string): readonly Holder[] =>
      holdersOf(address).filter((holder) => !departures.isGone(holder, address, Number.POSITIVE_INFINITY)),
    /** Returns the wallets that held the address at that height, including wallets that removed the address later. */
    holdersAt: (address: string, height: number): readonly Holder[] =>
      holdersOf(address).filter((holder) => !departures.isGone(holder, address, height)),
    standardOf: contracts.standardOf,
    listeners: listeners.of,
    webhookConfirmations: listeners.confirmationsOf,
    confirmation: holders.confirmation,
  };
};
