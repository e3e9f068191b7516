import type { Variant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import { type OpenTransactionDocument, openTransactions } from '../../projections/transactions.js';
import { eachInSlices, type FailedItem, tryInSlices } from '../async/slices.js';
import type { Context, Handle } from '../commands/handle.js';
import type { Sending } from '../ports/chain.js';
import type { EventStore } from '../ports/event-store.js';
import type { DocumentKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { createRecheckSchedule } from './recheck-schedule.js';
import { outcomeCommand, readTransaction, transactionStep } from './transactions.js';

export type OpenTransaction = { readonly organizationId: string; readonly document: OpenTransactionDocument };

type Ports = {
  readonly sending: Sending;
  readonly events: EventStore;
  readonly readModels: ReadModels;
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
/**
 * Maximum number of checks per round. The remaining checks follow in later rounds, so that outcomes are read in
 * between.
 */
const maxChecksPerRound = 256;

export const watcherContext = (variant: Variant, { organizationId, document }: OpenTransaction): Context => ({
  organizationId,
  variant,
  actor: { kind: 'process', id: 'transaction watcher' },
  requestId: `transaction ${document.transaction_id}`,
});

/**
 * Logs failed transactions in one line: their number, and the first failure in full. A node that is down may fail for
 * every transaction.
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
export const documentKey = ({ organizationId, document }: OpenTransaction, { tag }: Variant): DocumentKey => ({
  scope: scopeOf(organizationId, tag),
  id: document.transaction_id,
});
/** Returns false while the cancellation of a transaction is requested but not sent. */
const isBroadcastable = ({ document }: OpenTransaction) => !document.is_canceling || document.cancellation_hash !== '';

/**
 * Creates the schedule of the transactions that wait for their inclusion. Signed transactions are broadcast again,
 * unchanged, while no node has accepted them or when all nodes have lost them. If a broadcast fails, only its own
 * transaction is delayed.
 */
export const createRebroadcast = (ports: Ports, variant: Variant) => {
  const { sending, events, readModels, handle, system } = ports;
  const schedule = createRecheckSchedule();
  let lastChecked = new Map<string, number>();

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

  const add = (one: OpenTransaction) => {
    const { is_taken, sent_time } = one.document;
    const key = documentKey(one, variant);
    const intervalMs = is_taken ? recheckIntervalMs.taken : recheckIntervalMs.untaken;
    // The request that sends a transaction broadcasts it, so the first interval begins at the time of sending.
    const at = (lastChecked.get(openKey(one)) ?? Date.parse(sent_time)) + intervalMs;
    if (isBroadcastable(one)) schedule.set({ organizationId: one.organizationId, key, at });
  };

  return {
    /** Replaces the whole schedule by the waiting transactions. */
    replaceAll: async (waiting: readonly OpenTransaction[]): Promise<void> => {
      const before = lastChecked;
      lastChecked = new Map();
      schedule.clear();
      await eachInSlices(waiting, transactionsPerTurn, system, (one) => {
        const at = before.get(openKey(one));
        if (at !== undefined) lastChecked.set(openKey(one), at);
        add(one);
      });
    },
    /** Replaces the entries of some transactions. Those that are not among `waiting` leave the schedule. */
    replace: (keys: readonly DocumentKey[], waiting: readonly OpenTransaction[]): void => {
      for (const key of keys) schedule.remove(key);
      for (const one of waiting) add(one);
    },
    /** Checks the transactions that are due, as their documents are now. */
    checkDue: async (signal: AbortSignal): Promise<void> => {
      const now = system.now();
      const due = schedule.takeDue(now, maxChecksPerRound);
      if (due.length === 0) return;
      const documents = await readModels.getMany(
        openTransactions,
        due.map(({ key }) => key),
      );
      const waiting = due.flatMap(({ organizationId }, i) => {
        const document = documents[i];
        return document && !document.seen ? [{ organizationId, document }] : [];
      });
      for (const one of waiting) {
        lastChecked.set(openKey(one), now);
        add(one);
      }
      const failed = await tryInSlices(waiting.filter(isBroadcastable), atOnce, signal, repair);
      logFailures(system, variant, failed, 'Transactions could not be rebroadcast; retrying');
    },
  };
};
