import type { Outcome } from '../../domain/aggregates/transaction.js';
import type { Variant } from '../../domain/variant.js';
import { slicesOf, tryInSlices } from '../async/slices.js';
import { roundRobin } from '../async/turns/round-robin.js';
import type { Handle } from '../commands/handle.js';
import type { Chain, Header, Sending } from '../ports/chain.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { createOutcomes, type Finding } from './outcomes.js';
import { logFailures, type OpenTransaction, ownerOf, transactionsPerTurn, watcherContext } from './rebroadcast.js';
import { transactionStep } from './transactions.js';

type Ports = {
  readonly chain: Chain;
  readonly sending: Sending;
  readonly readModels: ReadModels;
  readonly handle: Handle;
  readonly system: System;
};

const atOnce = 32;

/** Creates a function that records an outcome. */
const createObserve = ({ sending, handle, system }: Ports, variant: Variant) => {
  /**
   * Adds the failure reason to the outcome of a failed transaction when the outcome is observed for the first time. If
   * no node reports a reason, the outcome is recorded without a reason.
   */
  const withReason = async ({ outcome, document: { hash, seen } }: Finding): Promise<Outcome> => {
    if (outcome.kind !== 'mined' || !outcome.failed) return outcome;
    if (seen?.kind === 'mined' && seen.block.hash === outcome.block.hash) return outcome;
    try {
      const reason = await sending.failureReason(hash, outcome.block);
      return reason === null ? outcome : { ...outcome, reason };
    } catch (error) {
      system.log.warn({ variant: variant.tag, hash, err: error }, 'No node reported why a transaction failed');
      return outcome;
    }
  };

  return async (found: Finding) => {
    const { confirmations, isDeep, isFinal, document } = found;
    const outcome = await withReason(found);
    const data = { transactionId: document.transaction_id, outcome, confirmations, isDeep, isFinal };
    const context = watcherContext(variant, found);
    await handle(context, [transactionStep(context, { type: 'Observe', data })]);
  };
};

/**
 * Creates a function that records the outcomes of open transactions as of a head of their chain. Returns the transactions
 * that wait for their inclusion, and those to look at again at this head, because their outcome could not be recorded or
 * the nodes disagree about it.
 */
export const createRecordOutcomes = (ports: Ports, variant: Variant) => {
  const { system } = ports;
  const { viewOf, readOutcomes } = createOutcomes(ports, variant);
  const observe = createObserve(ports, variant);

  return async (open: readonly OpenTransaction[], genesis: Header, head: Header, signal: AbortSignal) => {
    const isHere = ({ document }: OpenTransaction) => document.chain === genesis.hash;
    const view = await viewOf(head, open);
    const [found, waiting, again]: [Finding[], OpenTransaction[], OpenTransaction[]] = [[], [], []];
    for (const some of slicesOf(open, transactionsPerTurn)) {
      const seen = await readOutcomes(some.filter(isHere), view);
      found.push(...seen.found);
      waiting.push(...seen.waiting);
      again.push(...seen.unclear);
      await system.breathe();
    }
    const failed = await tryInSlices(roundRobin(found, ownerOf), atOnce, signal, observe);
    logFailures(system, variant, failed, 'Outcomes of transactions could not be recorded; retrying');
    for (const { item } of failed) again.push(item);
    return { waiting, again };
  };
};
