import type { Outcome } from '../../domain/aggregates/transaction.js';
import type { Variant } from '../../domain/variant.js';
import { openTransactions } from '../../projections/transactions.js';
import { slicesOf, tryInSlices } from '../async/slices.js';
import { roundRobin } from '../async/turns/round-robin.js';
import type { Handle } from '../commands/handle.js';
import type { Chain, Sending } from '../ports/chain.js';
import type { EventStore } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { documentsOfAllOwners } from '../read-models/scan-owners.js';
import { createOutcomes, type Finding } from './outcomes.js';
import {
  createRebroadcast,
  logFailures,
  type OpenTransaction,
  ownerOf,
  transactionsPerTurn,
  watcherContext,
} from './rebroadcast.js';
import { transactionStep } from './transactions.js';

type Ports = {
  readonly chain: Chain;
  readonly sending: Sending;
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly handle: Handle;
  readonly system: System;
};

const pauseMs = 500;
const atOnce = 32;

/**
 * Watches sent transactions until their outcome is final, and rebroadcasts transactions that nodes lost. All state is
 * stored in events, so the watcher may stop at any point and run in several processes at once. A transaction whose
 * outcome cannot be recorded is retried in the next round, and delays no other transaction.
 */
export const createTransactionWatcher = (ports: Ports, variant: Variant) => {
  const { chain, sending, handle, system } = ports;
  const { viewOf, readOutcomes } = createOutcomes(ports, variant);
  const rebroadcast = createRebroadcast(ports, variant);
  let last: { readonly chain: string; readonly height: number } | null = null;

  /**
   * Adds the reason to a failed transaction's outcome that is observed for the first time. If no node reports a reason,
   * the outcome is recorded without a reason.
   */
  const withReason = async ({ outcome, document: { hash, seen } }: Finding): Promise<Outcome> => {
    if (outcome.kind !== 'mined' || !outcome.failed) return outcome;
    if (seen?.kind === 'mined' && seen.block.hash === outcome.block.hash) return outcome;
    try {
      const reason = await sending.failureReason(hash, outcome.block);
      return reason === null ? outcome : { ...outcome, reason };
    } catch (error) {
      system.log.warn({ variant: variant.tag, hash, err: error }, 'No node reports why a transaction failed');
      return outcome;
    }
  };

  const observe = async (found: Finding) => {
    const { confirmations, isDeep, isFinal, document } = found;
    const outcome = await withReason(found);
    const data = { transactionId: document.transaction_id, outcome, confirmations, isDeep, isFinal };
    const context = watcherContext(variant, found);
    await handle(context, [transactionStep(context, { type: 'Observe', data })]);
  };

  const round = async (signal: AbortSignal) => {
    const open: OpenTransaction[] = [];
    for await (const one of documentsOfAllOwners(ports, openTransactions, variant.tag)) open.push(one);
    if (open.length === 0) return;
    const genesis = await chain.genesis();
    const head = await chain.head();
    // Skip the round at a head below the last head: a node that lags behind would report mined transactions as pending.
    if (genesis.hash === last?.chain && head.number < last.height) return;
    last = { chain: genesis.hash, height: head.number };
    const isHere = ({ document }: OpenTransaction) => document.chain === genesis.hash;
    const view = await viewOf(head, open);
    const [found, waiting]: [Finding[], OpenTransaction[]] = [[], []];
    for (const some of slicesOf(open, transactionsPerTurn)) {
      const seen = await readOutcomes(some.filter(isHere), view);
      found.push(...seen.found);
      waiting.push(...seen.waiting);
      await system.breathe();
    }
    const failed = await tryInSlices(roundRobin(found, ownerOf), atOnce, signal, observe);
    logFailures(system, variant, failed, 'Outcomes of transactions could not be recorded; retrying');
    await rebroadcast(waiting, signal);
  };

  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await round(signal);
      } catch (error) {
        system.log.warn({ variant: variant.tag, err: error }, 'Watching sent transactions failed; retrying');
      }
      await system.sleep(pauseMs, signal);
    }
  };
};
