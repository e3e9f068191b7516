import type { Outcome } from '../../domain/aggregates/transaction.js';
import { thresholdOf, type Variant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import type { OpenTransactionDocument } from '../../projections/transactions.js';
import { wallets } from '../../projections/wallets.js';
import { eachInSlices } from '../async/slices.js';
import type { Chain, Header, Inclusion, Sending } from '../ports/chain.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { type OpenTransaction, openKey, transactionsPerTurn } from './rebroadcast.js';

type Ports = {
  readonly chain: Chain;
  readonly sending: Sending;
  readonly readModels: ReadModels;
  readonly system: Pick<System, 'breathe'>;
};

/** Outcome of a transaction on the chain that is not recorded yet. */
export type Finding = OpenTransaction & {
  readonly outcome: Outcome;
  readonly confirmations: number;
  readonly isDeep: boolean;
  readonly isFinal: boolean;
};

/** Snapshot of the chain as of one head. A new head needs a new view. */
type View = {
  readonly head: Header;
  readonly final: number;
  /** Transaction count of each sender as of the head. */
  readonly counts: Map<string, number>;
  /** Hashes of blocks known to be on this chain. */
  readonly blocks: Set<string>;
  /** Keys of transactions whose recorded outcome is current as of this head. */
  readonly settled: Set<string>;
};

/**
 * Maximum number of blocks walked from one head to the next. After a larger gap, every block is looked up again.
 */
const maxWalk = 32;

const hashesOf = ({ hash, cancellation_hash }: OpenTransactionDocument) =>
  cancellation_hash === '' ? [hash] : [hash, cancellation_hash];
const blockOf = (outcome: Outcome | null | undefined) => (outcome && 'block' in outcome ? outcome.block : null);

const outcomeOf = (
  document: OpenTransactionDocument,
  count: number,
  inclusions: ReadonlyMap<string, Inclusion>,
): Outcome | null => {
  const { hash, cancellation_hash, nonce } = document;
  const isUsed = nonce < count;
  const [own, other] = [inclusions.get(hash), inclusions.get(cancellation_hash)];
  // Nodes disagree if they report the transaction as included but its nonce as unused. No outcome is derived then.
  if (!isUsed) return own || other ? null : { kind: 'waiting' };
  if (own) return { kind: 'mined', ...own };
  if (!other) return { kind: 'replaced' };
  const { failed: _, ...canceled } = other;
  return { kind: 'canceled', ...canceled };
};

type Known = OpenTransaction & { readonly outcome: Outcome };
/** Derives the outcomes of transactions; `unclear` has those without one. */
const derive = (
  open: readonly OpenTransaction[],
  countOf: (document: OpenTransactionDocument) => number,
  included: ReadonlyMap<string, Inclusion>,
) => {
  const [known, unclear]: [Known[], OpenTransaction[]] = [[], []];
  for (const one of open) {
    const outcome = outcomeOf(one.document, countOf(one.document), included);
    if (outcome) known.push({ ...one, outcome });
    else unclear.push(one);
  }
  return { known, unclear };
};

/** Returns false for an outcome that is already recorded and neither confirms nor finalizes the transaction. */
const isNews = ({ document, outcome, isDeep, isFinal }: Finding) => {
  const { seen, is_ended } = document;
  const isSame = seen?.kind === outcome.kind && blockOf(seen)?.hash === blockOf(outcome)?.hash;
  if (!isSame) return outcome.kind !== 'waiting' || Boolean(seen);
  return outcome.kind === 'mined' && !is_ended ? isDeep : isFinal;
};

/**
 * Creates functions that read transaction counts and inclusions as of the head of a view, which is a snapshot of the
 * chain. Counts are read once per head.
 */
const createReading = ({ chain, sending }: Ports) => {
  const countsAt = async (senders: readonly string[], at: Header) => {
    const counts = await sending.countsAt(senders, at);
    return senders.map((sender, i) => [sender, counts[i] ?? 0] as const);
  };
  const sendersOf = (open: readonly OpenTransaction[]) => [...new Set(open.map(({ document }) => document.from))];
  return {
    readCounts: async (open: readonly OpenTransaction[], { head, counts }: View) => {
      const unknown = sendersOf(open).filter((sender) => !counts.has(sender));
      for (const [sender, count] of await countsAt(unknown, head)) counts.set(sender, count);
    },
    inclusions: async (open: readonly OpenTransaction[], { head }: View) => {
      const hashes = open.flatMap(({ document }) => hashesOf(document));
      const found = await sending.inclusionsAt(hashes, head);
      return new Map(hashes.flatMap((hash, i) => (found[i] ? [[hash, found[i] as Inclusion] as const] : [])));
    },
    /**
     * Reads transaction counts as of the last final block. A count above a nonce proves that the nonce is permanently
     * used, even if the transaction that used it is unknown.
     */
    finalCounts: async (open: readonly OpenTransaction[], { final }: View): Promise<ReadonlyMap<string, number>> => {
      const at = open.length > 0 ? await chain.headerAt(final) : null;
      return new Map(at ? await countsAt(sendersOf(open), at) : []);
    },
  };
};

/**
 * Creates a function that returns the view of a head, and keeps the view of the newest head. The blocks below a head
 * are also on the chain of every descendant head, so blocks are looked up again only after a reorg.
 */
const createViews = ({ chain, system }: Ports) => {
  let view: View | null = null;
  /** Returns the known blocks that include open transactions. */
  const blocksOf = async (open: readonly OpenTransaction[], known: ReadonlySet<string>) => {
    const blocks = new Set<string>();
    await eachInSlices(open, transactionsPerTurn, system, ({ document }) => {
      const hash = blockOf(document.seen)?.hash;
      if (hash !== undefined && known.has(hash)) blocks.add(hash);
    });
    return blocks;
  };
  const descends = async (head: Header, from: Header) => {
    let at: Header | null = head;
    for (let walked = 0; at && at.number > from.number + 1; walked++)
      at = walked < maxWalk ? await chain.headerOf(at.parentHash) : null;
    return at?.number === from.number + 1 && at.parentHash === from.hash;
  };
  return async (head: Header, open: readonly OpenTransaction[]): Promise<View> => {
    if (view?.head.hash === head.hash) return view;
    const known = view && (await descends(head, view.head)) ? view.blocks : new Set<string>();
    const blocks = await blocksOf(open, known);
    const final = Math.min(head.number, await chain.finalized());
    view = { head, final, counts: new Map(), blocks, settled: new Set() };
    return view;
  };
};

/**
 * Creates functions that read the outcomes of sent transactions, all as of one head. Outcomes that are already
 * recorded are left out.
 */
export const createOutcomes = (ports: Ports, variant: Variant) => {
  const { readModels } = ports;
  const { readCounts, inclusions, finalCounts } = createReading(ports);
  /** Returns the confirmation threshold of each transaction that is mined but not confirmed. */
  const depthsOf = async (known: readonly Known[]): Promise<ReadonlyMap<Known, number>> => {
    const growing = known.filter(({ outcome, document }) => outcome.kind === 'mined' && !document.is_ended);
    const keys = growing.map(({ organizationId, document }) => ({
      scope: scopeOf(organizationId, variant.tag),
      id: document.wallet_id,
    }));
    const found = await readModels.getMany(wallets, keys);
    return new Map(growing.map((one, i) => [one, thresholdOf(variant, found[i]?.confirmation)]));
  };

  const findings = async (known: readonly Known[], view: View): Promise<readonly Finding[]> => {
    const depths = await depthsOf(known);
    const replaced = known.filter(({ outcome }) => outcome.kind === 'replaced');
    const counts = await finalCounts(replaced, view);
    return known.map((one) => {
      const block = blockOf(one.outcome);
      const confirmations = block ? view.head.number - block.number + 1 : 0;
      const isFinal = block ? block.number <= view.final : one.document.nonce < (counts.get(one.document.from) ?? 0);
      return { ...one, confirmations, isDeep: confirmations >= (depths.get(one) ?? 0), isFinal };
    });
  };

  const lookUp = async (open: readonly OpenTransaction[], view: View) => {
    await readCounts(open, view);
    const countOf = ({ from }: OpenTransactionDocument) => view.counts.get(from) ?? 0;
    const [moved, waiting]: [OpenTransaction[], OpenTransaction[]] = [[], []];
    for (const one of open)
      (one.document.seen || one.document.nonce < countOf(one.document) ? moved : waiting).push(one);
    const included = await inclusions(moved, view);
    for (const { block } of included.values()) view.blocks.add(block.hash);
    return { waiting, ...derive(moved, countOf, included) };
  };

  const partition = (open: readonly OpenTransaction[], { blocks, settled }: View) => {
    const [standing, unknown]: [Known[], OpenTransaction[]] = [[], []];
    for (const one of open) {
      const { seen } = one.document;
      if (seen && settled.has(openKey(one))) continue;
      if (seen && blocks.has(blockOf(seen)?.hash ?? '')) standing.push({ ...one, outcome: seen });
      else unknown.push(one);
    }
    return { standing, unknown };
  };

  /**
   * Returns the outcomes to record, the transactions that wait for their inclusion, and those about which the nodes
   * disagree.
   */
  const readOutcomes = async (open: readonly OpenTransaction[], view: View) => {
    const { standing, unknown } = partition(open, view);
    const { known, ...others } = await lookUp(unknown, view);
    const found: Finding[] = [];
    for (const one of await findings([...standing, ...known], view))
      if (isNews(one)) found.push(one);
      else view.settled.add(openKey(one));
    return { found, ...others };
  };
  return { viewOf: createViews(ports), readOutcomes };
};
