import type { Variant } from '../../domain/variant.js';
import type { OpenTransactionDocument } from '../../projections/transactions.js';
import { inTurns } from '../async/in-turns.js';
import { eachInSlices, mapInSlices } from '../async/slices.js';
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

/** Intervals between checks: of a transaction that no node accepted yet, and of one that nodes may have lost. */
const againMs = { untaken: 1000, taken: 10_000 };
const atOnce = 16;
/** Transactions that are looked at before others get a turn. */
export const lookedAtOnce = 1000;
/** Checks in one round; the others follow in later rounds, so that outcomes are read in between. */
const maxAtATime = 256;

export const watcherContext = (variant: Variant, { organizationId, document }: OpenTransaction): Context => ({
  organizationId,
  variant,
  actor: { kind: 'process', id: 'transaction watcher' },
  requestId: `transaction ${document.transaction_id}`,
});

export const ownerOf = ({ organizationId }: OpenTransaction) => organizationId;
export const openKey = ({ organizationId, document }: OpenTransaction) =>
  `${organizationId}|${document.transaction_id}`;
/** Skips a transaction whose cancellation is requested but not sent yet. */
const isWanted = ({ document }: OpenTransaction) => !document.is_canceling || document.cancellation_hash !== '';

/** Broadcasts the same bytes again when no node has accepted a transaction, or nodes may have lost it. */
export const createRebroadcast = ({ sending, events, handle, system }: Ports, variant: Variant) => {
  const looked = new Map<string, number>();

  const offer = async (one: OpenTransaction) => {
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
    if (!isThere) await offer(one);
  };

  /** Forgets transactions that no longer wait; seldom, because all keys are compared. */
  const forgetOthers = async (waiting: readonly OpenTransaction[]) => {
    const keys = new Set<string>();
    await eachInSlices(waiting, lookedAtOnce, system, (one) => keys.add(openKey(one)));
    await eachInSlices([...looked.keys()], lookedAtOnce, system, (key) => keys.has(key) || looked.delete(key));
  };

  /** Finds the transactions to be checked, some in a turn, and of no owner more than a round takes. */
  const dueOf = async (waiting: readonly OpenTransaction[], now: number) => {
    const counts = new Map<string, number>();
    const isAmongFirst = (one: OpenTransaction) => {
      const before = counts.get(ownerOf(one)) ?? 0;
      counts.set(ownerOf(one), before + 1);
      return before < maxAtATime;
    };
    const isDue = (one: OpenTransaction) => {
      const patience = one.document.is_taken ? againMs.taken : againMs.untaken;
      // A transaction that was just sent is still being broadcast by the request that sent it.
      const since = looked.get(openKey(one)) ?? Date.parse(one.document.sent_time);
      return now - since >= patience;
    };
    const due: OpenTransaction[] = [];
    await eachInSlices(waiting, lookedAtOnce, system, (one) => {
      if (isWanted(one) && isDue(one) && isAmongFirst(one)) due.push(one);
    });
    return inTurns(due, ownerOf).slice(0, maxAtATime);
  };

  return async (waiting: readonly OpenTransaction[]): Promise<void> => {
    const now = system.now();
    if (looked.size > 2 * waiting.length + maxAtATime) await forgetOthers(waiting);
    const due = await dueOf(waiting, now);
    for (const one of due) looked.set(openKey(one), now);
    await mapInSlices(due, atOnce, repair);
  };
};
