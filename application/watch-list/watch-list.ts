import { subscribesToActivity } from '../../domain/aggregates/webhook.js';
import {
  type AddressDocument,
  type AddressTokenDocument,
  addresses,
  addressImports,
  departures,
  tokenAccounts,
} from '../../projections/addresses.js';
import { contracts } from '../../projections/contracts.js';
import { registrationId, registrations } from '../../projections/statements/registrations.js';
import { unsettled } from '../../projections/unsettled.js';
import { wallets } from '../../projections/wallets.js';
import { webhooks } from '../../projections/webhooks.js';
import type { Interest } from '../ports/chain.js';
import type { EventStore, Position } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { tokensOfAddress } from '../read-models/address-tokens.js';
import { includedOfAll } from '../read-models/progress.js';
import { documentsOfAllOwners, pagesOfAllOwners } from '../read-models/scan-owners.js';
import type { Holder } from './activities.js';
import { createWatchIndex } from './watch-index.js';

/** Index in memory of the addresses, tokens and webhooks that a block may affect, updated from events. */
export type WatchList = Omit<
  ReturnType<typeof createWatchIndex>,
  | 'apply'
  | 'hold'
  | 'depart'
  | 'importToken'
  | 'claimAccount'
  | 'confirm'
  | 'follow'
  | 'listen'
  | 'isHeld'
  | 'isFollowed'
  | 'tokenAccounts'
> & {
  readonly interest: Interest;
  /**
   * Fills the watch list from the read models and the events after their checkpoint, or after `from` if `from` is
   * earlier. `final` is the height up to which the followed blocks are final.
   */
  load(from: Position, final: number): Promise<void>;
  /** Applies all events since the last call. */
  catchUp(): Promise<void>;
};

type Watched = ReturnType<typeof createWatchIndex>;
type Ports = { readonly events: EventStore; readonly readModels: ReadModels; readonly system: System };

const breatheEvery = 20;

type Tokens = {
  readonly collection: typeof addressImports | typeof tokenAccounts;
  readonly add: (holder: Holder, token: AddressTokenDocument) => void;
};

const tokensOf = ({ importToken, claimAccount }: Watched): readonly Tokens[] => [
  { collection: addressImports, add: importToken },
  { collection: tokenAccounts, add: claimAccount },
];

/** Adds the tokens of all addresses, except tokens imported or found before the last registration of their address. */
const fillTokens = async (ports: Ports, variant: string, { collection, add }: Tokens) => {
  for await (const page of pagesOfAllOwners(ports, collection, variant)) {
    const keys = new Map(page.map(({ scope, document: { address: id } }) => [`${scope} ${id}`, { scope, id }]));
    const held = await ports.readModels.getMany(addresses, [...keys.values()]);
    const holding = new Map([...keys.keys()].map((key, i): [string, AddressDocument | null] => [key, held[i] ?? null]));
    for (const { organizationId, scope, document } of page) {
      const { wallet_id: walletId, address, position } = document;
      const now = holding.get(`${scope} ${address}`);
      if (now?.wallet_id === walletId && now.position < position) add({ organizationId, walletId }, document);
    }
  }
};

/** Adds the tokens that a removed address had at its removal. */
const fillDeparted = async (watched: Watched, ports: Ports, scope: string, holder: Holder, address: string) => {
  const id = registrationId.address(holder.walletId, address);
  const found = await ports.readModels.get(registrations, { scope, id });
  const registered = { wallet_id: holder.walletId, address, position: found?.last_position ?? 0 };
  for (const { collection, add } of tokensOf(watched))
    for (const token of await tokensOfAddress(ports, collection, scope, registered)) add(holder, token);
};

/** Adds removed addresses that blocks above `final` may still affect, unless they were registered again. */
const fillDepartures = async (watched: Watched, ports: Ports, variant: string, final: number) => {
  for await (const { organizationId, scope, document } of documentsOfAllOwners(ports, departures, variant)) {
    const { address, wallet_id: walletId, head } = document;
    const holder = { organizationId, walletId };
    const isBack = watched
      .holders(address)
      .some((one) => one.organizationId === organizationId && one.walletId === walletId);
    if (head <= final || isBack) continue;
    watched.depart({ holder, address, head });
    await fillDeparted(watched, ports, scope, holder, address);
  }
};

const fill = async (watched: Watched, ports: Ports, variant: string) => {
  for await (const { organizationId, document } of documentsOfAllOwners(ports, wallets, variant))
    watched.confirm({ organizationId, walletId: document.wallet_id }, document.confirmation);
  for await (const { organizationId, document } of documentsOfAllOwners(ports, addresses, variant))
    watched.hold({ organizationId, walletId: document.wallet_id }, document.address);
  for (const tokens of tokensOf(watched)) await fillTokens(ports, variant, tokens);
  for await (const { organizationId, document } of documentsOfAllOwners(ports, contracts, variant))
    if (document.registered === 'yes') watched.follow(organizationId, document.contract, document.standard);
  for await (const { organizationId, document } of documentsOfAllOwners(ports, webhooks, variant))
    if (subscribesToActivity(document.notification_types))
      watched.listen(organizationId, {
        webhookId: document.webhook_id,
        walletId: document.wallet_id,
        confirmation: document.confirmation,
        ...(document.final && { final: document.final }),
      });
  for await (const { organizationId, document } of documentsOfAllOwners(ports, unsettled, variant))
    watched.activities.set(
      { organizationId, walletId: document.wallet_id },
      document.block,
      document.phase,
      document.unread,
    );
};

export const createWatchList = (ports: Ports, variant: string): WatchList => {
  const { events, readModels, system } = ports;
  const empty = () => createWatchIndex(variant, Number.parseInt(system.secret().slice(0, 8), 16));
  let watched = empty();
  let applied: Position = 0;

  const catchUp = async () => {
    let batches = 0;
    for await (const batch of events.readAll(applied)) {
      for (const event of batch) watched.apply(event, applied);
      applied = batch.at(-1)?.position ?? applied;
      if (++batches % breatheEvery === 0) await system.breathe();
    }
  };

  return {
    interest: {
      address: (address) => watched.isHeld(address),
      contract: (contract) => watched.isFollowed(contract),
      tokenAccounts: (account) => watched.tokenAccounts(account),
    },
    load: async (from, final) => {
      watched = empty();
      // The checkpoint is read before the documents. Events that the documents already include are applied twice, harmlessly.
      applied = Math.min(from, includedOfAll(await readModels.checkpoint()));
      await fill(watched, ports, variant);
      await fillDepartures(watched, ports, variant, final);
      await catchUp();
    },
    catchUp,
    get activities() {
      return watched.activities;
    },
    get dueImports() {
      return watched.dueImports;
    },
    holders: (address) => watched.holders(address),
    holdersAt: (address, height) => watched.holdersAt(address, height),
    finalize: (height) => watched.finalize(height),
    isImported: (holder, address, contract) => watched.isImported(holder, address, contract),
    standardOf: (organizationId, contract) => watched.standardOf(organizationId, contract),
    listeners: (holder) => watched.listeners(holder),
    webhookConfirmations: (holder) => watched.webhookConfirmations(holder),
    confirmation: (holder) => watched.confirmation(holder),
  };
};
