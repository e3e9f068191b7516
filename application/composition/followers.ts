import { findVariant, type Variant } from '../../domain/variant.js';
import type { Balances } from '../assets/balances.js';
import type { Contracts } from '../assets/contracts.js';
import type { Descriptions } from '../assets/token-descriptions.js';
import type { Handle } from '../commands/handle.js';
import { createFollower } from '../following/follow-chain.js';
import { createLedgerWriter } from '../following/ledger-writer.js';
import { createNotifier } from '../following/notify.js';
import { recordingTraces } from '../maintenance/tracing.js';
import type { ConfiguredChains } from '../ports/chains.js';
import type { EventStore } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Measure } from '../processes/measurements.js';
import { createWatchList } from '../watch-list/watch-list.js';
import type { Deliveries } from '../webhooks/deliveries.js';

type Ports = {
  readonly chains: ConfiguredChains;
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly state: StateStore;
  /** Seconds after which a block that no node can return is skipped. */
  readonly unreadableBlockSeconds: number;
  readonly measure: Measure;
  readonly system: System;
};

/** Creates the follower of each configured chain. */
export const createFollowers = (
  ports: Ports,
  handle: Handle,
  notifierPorts: { deliveries: Deliveries; descriptions: Descriptions; balances: Balances; contracts: Contracts },
) =>
  [...ports.chains].map(([tag, { chain, isNew, oldHeadSeconds }]) => {
    const variant = findVariant(tag) as Variant;
    const watched = createWatchList(ports, tag);
    const ledgers = createLedgerWriter({ ...ports, handle }, variant);
    const notifier = createNotifier({ ...ports, ...notifierPorts, ledgers, watched }, variant);
    const tracedChain = recordingTraces(chain, ports.state, tag);
    const shared = { ...ports, ...notifierPorts, handle, chain: tracedChain, watched, ledgers, notifier };
    const unreadableBlockMs = ports.unreadableBlockSeconds * 1000;
    return createFollower(shared, variant, { fromGenesis: isNew, unreadableBlockMs, oldHeadSeconds });
  });
