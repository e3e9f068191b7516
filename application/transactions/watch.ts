import type { Outcome } from '../../domain/transaction.js';
import type { Variant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import { type OpenTransactionDocument, openTransactions } from '../../projections/transactions.js';
import { wallets } from '../../projections/wallets.js';
import { mapInSlices } from '../async/slices.js';
import type { Handle } from '../commands/handle.js';
import type { Chain, Header, Inclusion, Sending } from '../ports/chain.js';
import type { EventStore } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { documentsOf } from '../read-models/scan-owners.js';
import { createRebroadcast, type OpenTransaction, watcherContext } from './rebroadcast.js';
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

const hashesOf = ({ hash, cancellation_hash }: OpenTransactionDocument) =>
  cancellation_hash === '' ? [hash] : [hash, cancellation_hash];

const outcomeOf = (
  document: OpenTransactionDocument,
  count: number,
  inclusions: ReadonlyMap<string, Inclusion>,
): Outcome | null => {
  const { hash, cancellation_hash, nonce } = document;
  const isUsed = nonce < count;
  const [own, other] = [inclusions.get(hash), inclusions.get(cancellation_hash)];
  // A nonce that is used and a transaction that is nowhere, or the other way round, cannot both be true of one block.
  if (!isUsed) return own || other ? null : { kind: 'waiting' };
  if (own) return { kind: 'mined', ...own };
  return other ? { kind: 'canceled', block: other.block } : { kind: 'replaced' };
};

/** What the chain shows, as of one block, of everything that was sent and may still change. */
const createLook = ({ chain, sending, readModels }: Ports, variant: Variant) => {
  const countsAt = async (open: readonly OpenTransaction[], at: Header) => {
    const senders = [...new Set(open.map(({ document }) => document.from))];
    const counts = await sending.countsAt(senders, at);
    return new Map(senders.map((sender, i) => [sender, counts[i] ?? 0]));
  };
  const inclusionsAt = async (open: readonly OpenTransaction[], at: Header) => {
    const hashes = open.flatMap(({ document }) => hashesOf(document));
    const found = await sending.inclusionsAt(hashes, at);
    return new Map(hashes.flatMap((hash, i) => (found[i] ? [[hash, found[i] as Inclusion] as const] : [])));
  };
  const depthsOf = async (open: readonly OpenTransaction[]) => {
    const keys = open.map(({ organizationId, document }) => ({
      scope: scopeOf(organizationId, variant.tag),
      id: document.wallet_id,
    }));
    const found = await readModels.getMany(wallets, keys);
    return found.map((wallet) => Math.max(1, wallet?.confirmation ?? variant.depth));
  };

  /** What took the place of a transaction has no block that is known, so the sender's count is asked deeper down. */
  const wasUsedAt = async ({ document }: OpenTransaction, height: number) => {
    const at = height < 0 ? null : await chain.headerAt(height);
    const [count = 0] = at ? await sending.countsAt([document.from], at) : [];
    return document.nonce < count;
  };

  return async (open: readonly OpenTransaction[], at: Header) => {
    const counts = await countsAt(open, at);
    const countOf = ({ from }: OpenTransactionDocument) => counts.get(from) ?? 0;
    const moved = open.filter(({ document }) => document.is_seen || document.nonce < countOf(document));
    const inclusions = await inclusionsAt(moved, at);
    const depths = await depthsOf(moved);
    const found = await Promise.all(
      moved.map(async (one, i) => {
        const outcome = outcomeOf(one.document, countOf(one.document), inclusions);
        const depth = depths[i] ?? variant.depth;
        const confirmations = outcome && 'block' in outcome ? at.number - outcome.block.number + 1 : 0;
        const isDeep =
          outcome?.kind === 'replaced' ? await wasUsedAt(one, at.number - depth + 1) : confirmations >= depth;
        return { ...one, outcome, confirmations, isDeep };
      }),
    );
    const waiting = open.filter((one) => !moved.includes(one));
    return { found, waiting };
  };
};

/**
 * Follows what was sent until it is certain what became of it, and sends again what nodes lost. It remembers nothing, so
 * it may be stopped at any point and run in several processes at once.
 */
export const createTransactionWatcher = (ports: Ports, variant: Variant) => {
  const { chain, handle, system } = ports;
  const look = createLook(ports, variant);
  const rebroadcast = createRebroadcast(ports, variant);
  let last: { readonly chain: string; readonly height: number } | null = null;

  const observe = async (found: Awaited<ReturnType<typeof look>>['found'][number]) => {
    const { outcome, confirmations, isDeep, document } = found;
    if (!outcome) return;
    const data = { transactionId: document.transaction_id, outcome, confirmations, isDeep };
    const context = watcherContext(variant, found);
    await handle(context, [transactionStep(context, { type: 'Observe', data })]);
  };

  const round = async () => {
    const everywhere: OpenTransaction[] = [];
    for await (const one of documentsOf(ports, openTransactions, variant.tag)) everywhere.push(one);
    if (everywhere.length === 0) return;
    const genesis = await chain.genesis();
    const head = await chain.head();
    // A node that is behind the one asked before would have it that what was mined is not.
    if (genesis.hash === last?.chain && head.number < last.height) return;
    last = { chain: genesis.hash, height: head.number };
    const open = everywhere.filter(({ document }) => document.chain === genesis.hash);
    const { found, waiting } = await look(open, head);
    await mapInSlices(found, atOnce, observe);
    await rebroadcast(waiting);
  };

  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await round();
      } catch (error) {
        system.log.warn(
          { variant: variant.tag, err: error },
          'transactions that were sent cannot be watched right now',
        );
      }
      await system.sleep(pauseMs, signal);
    }
  };
};
