import { addresses } from '../../projections/addresses.js';
import { contracts } from '../../projections/contracts.js';
import { unsettled } from '../../projections/unsettled.js';
import { wallets } from '../../projections/wallets.js';
import { webhooks } from '../../projections/webhooks.js';
import type { Interest } from '../ports/chain.js';
import type { EventStore, Position } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { includedBy } from '../read-models/progress.js';
import { documentsOf } from '../read-models/scan-owners.js';
import { createWatched } from './watch-index.js';

/** Whom a block may concern: kept in memory, fed by the event stream. */
export type WatchList = Omit<
  ReturnType<typeof createWatched>,
  'apply' | 'hold' | 'importToken' | 'confirm' | 'follow' | 'listen' | 'isHeld' | 'isFollowed' | 'tokenAccount'
> & {
  readonly interest: Interest;
  /** Starts from the read models and from what happened since, but not later than `from`. */
  load(from: Position): Promise<void>;
  /** Until it includes every event there is. */
  catchUp(): Promise<void>;
};

type Watched = ReturnType<typeof createWatched>;
type Ports = { readonly events: EventStore; readonly readModels: ReadModels; readonly system: System };

const breatheEvery = 20;

const fill = async (watched: Watched, ports: Ports, variant: string) => {
  for await (const { organizationId, document } of documentsOf(ports, wallets, variant))
    watched.confirm({ organizationId, walletId: document.wallet_id }, document.confirmation);
  for await (const { organizationId, document } of documentsOf(ports, addresses, variant)) {
    const holder = { organizationId, walletId: document.wallet_id };
    watched.hold(holder, document.address);
    for (const { asset, account } of document.imports ?? [])
      watched.importToken(holder, { address: document.address, asset, account });
  }
  for await (const { organizationId, document } of documentsOf(ports, contracts, variant))
    if (document.registered === 'yes') watched.follow(organizationId, document.contract, document.standard);
  for await (const { organizationId, document } of documentsOf(ports, webhooks, variant))
    watched.listen(organizationId, {
      webhookId: document.webhook_id,
      walletId: document.wallet_id,
      confirmation: document.confirmation,
    });
  for await (const { organizationId, document } of documentsOf(ports, unsettled, variant))
    watched.activities.set({ organizationId, walletId: document.wallet_id }, document.block, document.phase);
};

export const createWatchList = (ports: Ports, variant: string): WatchList => {
  const { events, readModels, system } = ports;
  const empty = () => createWatched(variant, Number.parseInt(system.secret().slice(0, 8), 16));
  let watched = empty();
  let applied: Position = 0;

  const catchUp = async () => {
    let batches = 0;
    for await (const batch of events.readAll(applied)) {
      for (const event of batch) watched.apply(event);
      applied = batch.at(-1)?.position ?? applied;
      if (++batches % breatheEvery === 0) await system.breathe();
    }
  };

  return {
    interest: {
      address: (address) => watched.isHeld(address),
      contract: (contract) => watched.isFollowed(contract),
      tokenAccount: (account) => watched.tokenAccount(account),
    },
    load: async (from) => {
      watched = empty();
      // Asked before the documents are read: what they include beyond it is applied again, to no effect in the end.
      applied = Math.min(from, includedBy(await readModels.checkpoint()));
      await fill(watched, ports, variant);
      await catchUp();
    },
    catchUp,
    get activities() {
      return watched.activities;
    },
    holders: (address) => watched.holders(address),
    dueImports: () => watched.dueImports(),
    isImported: (holder, address, contract) => watched.isImported(holder, address, contract),
    standardOf: (organizationId, contract) => watched.standardOf(organizationId, contract),
    listeners: (holder) => watched.listeners(holder),
    confirmation: (holder) => watched.confirmation(holder),
  };
};
