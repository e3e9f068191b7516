import type { AsOfPorts } from '../history/as-of.js';
import type { ConfiguredChains } from '../ports/chains.js';
import type { AddressCodecs, TransactionCodecs } from '../ports/codec.js';
import type { Documents } from '../ports/documents.js';
import type { EventStore } from '../ports/event-store.js';
import type { RebuildableReadModels } from '../ports/generations.js';
import type { Jobs } from '../ports/jobs.js';
import type { Limiter } from '../ports/limiter.js';
import type { Node } from '../ports/node.js';
import type { Notary, Witness } from '../ports/notary.js';
import type { PendingTransactions } from '../ports/pending.js';
import type { Sender, WebhookSigner } from '../ports/sender.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Tracer } from '../ports/tracing/tracer.js';
import type { Vault } from '../ports/vault.js';
import type { Deployment } from '../processes/heartbeats.js';
import type { RequestPorts } from '../tracing/tracing.js';
import type { WalletApis } from './wallet-apis.js';

/** Ports and settings of the service. */
export type Ports = {
  readonly events: EventStore;
  readonly readModels: RebuildableReadModels;
  readonly limiter: Limiter;
  readonly state: StateStore;
  readonly vault: Vault;
  readonly codecs: AddressCodecs;
  readonly transactionCodecs: TransactionCodecs;
  readonly chains: ConfiguredChains;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly pending: PendingTransactions;
  readonly documents: Documents;
  readonly jobs: Jobs;
  readonly sender: Sender;
  readonly signer: WebhookSigner;
  readonly challengeEndpoints: boolean;
  /**
   * Maximum time in milliseconds that a request waits for the read models to include the events that the request
   * depends on.
   */
  readonly catchUpMs: number;
  readonly webhookConcurrency: number;
  /** Seconds after which a block that no node can return is skipped. */
  readonly unreadableBlockSeconds: number;
  /** Seconds between two comparisons of all balances with the nodes; 0 disables the comparisons. */
  readonly reconcileSeconds: number;
  readonly notary: Notary;
  readonly deployment: Deployment;
  /** Witnesses that receive each head of the seal log. */
  readonly witnesses: readonly Witness[];
  readonly system: System;
  /** Recorder of traces; absent if none are recorded. */
  readonly tracer?: Tracer;
} & Pick<AsOfPorts<WalletApis>, 'scratch' | 'asOfEvents' | 'foldedEvents'> &
  RequestPorts;
