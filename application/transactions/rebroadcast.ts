import type { Variant } from '../../domain/variant.js';
import type { OpenTransactionDocument } from '../../projections/transactions.js';
import { mapInSlices } from '../async/slices.js';
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

/** How soon after the last look: at one that no node is known to have, and at one that a node may have lost. */
const againMs = { untaken: 1000, taken: 10_000 };
const atOnce = 16;

export const watcherContext = (variant: Variant, { organizationId, document }: OpenTransaction): Context => ({
  organizationId,
  variant,
  actor: { kind: 'process', id: 'transaction watcher' },
  requestId: `transaction ${document.transaction_id}`,
});

const keyOf = ({ organizationId, document }: OpenTransaction) => `${organizationId}|${document.transaction_id}`;
/** While somebody wants it canceled, only what cancels it is sent again. */
const isWanted = ({ document }: OpenTransaction) => !document.is_canceling || document.cancellation_hash !== '';

/** Sends again, the same bytes, what no node is known to have or a node may have lost. */
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

  return async (waiting: readonly OpenTransaction[]): Promise<void> => {
    const now = system.now();
    const wanted = waiting.filter(isWanted);
    const keys = new Set(wanted.map(keyOf));
    for (const key of looked.keys()) if (!keys.has(key)) looked.delete(key);
    const due = wanted.filter((one) => {
      const patience = one.document.is_taken ? againMs.taken : againMs.untaken;
      // One that was just sent is being offered by whoever sent it.
      const since = looked.get(keyOf(one)) ?? Date.parse(one.document.sent_time);
      return now - since >= patience;
    });
    for (const one of due) looked.set(keyOf(one), now);
    await mapInSlices(due, atOnce, repair);
  };
};
