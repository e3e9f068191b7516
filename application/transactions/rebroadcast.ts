import type { Variant } from '../../domain/variant.js';
import type { OpenTransactionDocument } from '../../projections/transactions.js';
import { eachInSlices, type FailedItem, tryInSlices } from '../async/slices.js';
import { roundRobin } from '../async/turns/round-robin.js';
import type { Context, Handle } from '../commands/handle.js';
import type { Sending } from '../ports/chain.js';
import type { EventStore } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import { outcomeCommand, readTransaction, transactionStep } from './transactions.js';

export type OpenTransaction = { readonly organizationId: string; readonly document: OpenTransactionDocument };

type Ports = {
  readonly sending: Sending;
  readonly events: EventStore;
  readonly handle: Handle;
  readonly system: System;
};

/**
 * Check intervals in milliseconds: `untaken` for transactions that no node has accepted yet, `taken` for accepted
 * transactions, which nodes may lose.
 */
const recheckIntervalMs = { untaken: 1000, taken: 10_000 };
const atOnce = 16;
/** Number of transactions that are processed before yielding to the event loop. */
export const transactionsPerTurn = 1000;
/** Limit of checks per round. The remaining checks follow in later rounds, so that outcomes are read in between. */
const maxChecksPerRound = 256;

export const watcherContext = (variant: Variant, { organizationId, document }: OpenTransaction): Context => ({
  organizationId,
  variant,
  actor: { kind: 'process', id: 'transaction watcher' },
  requestId: `transaction ${document.transaction_id}`,
});

/**
 * Logs failures of single transactions in one line, with the first failure in full, because a node may fail for all
 * transactions.
 */
export const logFailures = (
  { log }: Pick<System, 'log'>,
  variant: Variant,
  failures: readonly FailedItem<OpenTransaction>[],
  message: string,
) => {
  for (const { item, error } of failures.slice(0, 1)) {
    const first = { organization: item.organizationId, transaction: item.document.transaction_id, err: error };
    log.warn({ variant: variant.tag, failed: failures.length, ...first }, message);
  }
};

export const ownerOf = ({ organizationId }: OpenTransaction) => organizationId;
export const openKey = ({ organizationId, document }: OpenTransaction) =>
  `${organizationId}|${document.transaction_id}`;
/** Returns false while the cancellation of a transaction is requested but not sent. */
const isBroadcastable = ({ document }: OpenTransaction) => !document.is_canceling || document.cancellation_hash !== '';

/**
 * Broadcasts a signed transaction again, unchanged, while no node has accepted it or when all nodes have lost it. A
 * failure delays only its own transaction.
 */
export const createRebroadcast = ({ sending, events, handle, system }: Ports, variant: Variant) => {
  const lastChecked = new Map<string, number>();

  const broadcastAgain = async (one: OpenTransaction) => {
    const { transaction_id: transactionId } = one.document;
    const context = watcherContext(variant, one);
    const { signed, cancellation, state, isTaken } = await readTransaction(events, context, transactionId);
    const bytes = state === 'canceling' ? cancellation?.signed : signed;
    if (!bytes || (state !== 'sent' && state !== 'canceling')) return;
    const outcome = await sending.broadcast(bytes);
    const command = isTaken ? null : outcomeCommand(transactionId, outcome);
    if (command) await handle(context, [transactionStep(context, command)]);
  };

  const repair = async (one: OpenTransaction) => {
    const { is_taken, hash, cancellation_hash } = one.document;
    const [isThere] = is_taken ? await sending.knows([cancellation_hash || hash]) : [false];
    if (!isThere) await broadcastAgain(one);
  };

  /**
   * Drops check times of transactions that no longer wait for their inclusion. Called rarely, because the function
   * compares all keys.
   */
  const forgetOthers = async (waiting: readonly OpenTransaction[]) => {
    const keys = new Set<string>();
    await eachInSlices(waiting, transactionsPerTurn, system, (one) => keys.add(openKey(one)));
    await eachInSlices(
      [...lastChecked.keys()],
      transactionsPerTurn,
      system,
      (key) => keys.has(key) || lastChecked.delete(key),
    );
  };

  /** Selects the transactions to check in this round, alternating between owners. */
  const dueOf = async (waiting: readonly OpenTransaction[], now: number) => {
    const counts = new Map<string, number>();
    const isAmongFirst = (one: OpenTransaction) => {
      const before = counts.get(ownerOf(one)) ?? 0;
      counts.set(ownerOf(one), before + 1);
      return before < maxChecksPerRound;
    };
    const isDue = (one: OpenTransaction) => {
      const intervalMs = one.document.is_taken ? recheckIntervalMs.taken : recheckIntervalMs.untaken;
      // The request that sends a transaction broadcasts it, so the first interval begins at the time of sending.
      const since = lastChecked.get(openKey(one)) ?? Date.parse(one.document.sent_time);
      return now - since >= intervalMs;
    };
    const due: OpenTransaction[] = [];
    await eachInSlices(waiting, transactionsPerTurn, system, (one) => {
      if (isBroadcastable(one) && isDue(one) && isAmongFirst(one)) due.push(one);
    });
    return roundRobin(due, ownerOf).slice(0, maxChecksPerRound);
  };

  return async (waiting: readonly OpenTransaction[], signal: AbortSignal): Promise<void> => {
    const now = system.now();
    if (lastChecked.size > 2 * waiting.length + maxChecksPerRound) await forgetOthers(waiting);
    const due = await dueOf(waiting, now);
    for (const one of due) lastChecked.set(openKey(one), now);
    const failed = await tryInSlices(due, atOnce, signal, repair);
    logFailures(system, variant, failed, 'Transactions could not be rebroadcast; retrying');
  };
};
