import type { Outcome } from '../../domain/aggregates/transaction.js';
import { thresholdOf, type Variant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import type { OpenTransactionDocument } from '../../projections/transactions.js';
import { wallets } from '../../projections/wallets.js';
import { eachInSlices } from '../async/slices.js';
import type { Chain, Header, Inclusion, Sending } from '../ports/chain.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { lookedAtOnce, type OpenTransaction, openKey } from './rebroadcast.js';

type Ports = {
  readonly chain: Chain;
  readonly sending: Sending;
  readonly readModels: ReadModels;
  readonly system: Pick<System, 'breathe'>;
};

/** Outcome of a transaction that the chain shows and the document does not. */
export type Finding = OpenTransaction & {
  readonly outcome: Outcome;
  readonly confirmations: number;
  readonly isDeep: boolean;
  readonly isFinal: boolean;
};

/** Knowledge about the chain that ends with one head; it stays valid until there is another head. */
type View = {
  readonly head: Header;
  readonly final: number;
  /** Number of transactions that each sender has made. */
  readonly counts: Map<string, number>;
  /** Hashes of blocks on this chain. */
  readonly blocks: Set<string>;
  /** Keys of transactions about which this head has no news. */
  readonly settled: Set<string>;
};

/** Longest gap between two heads that is walked; after a longer one every block is looked up again. */
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
  // An included transaction with an unused nonce is a contradiction between nodes, so nothing is concluded from it.
  if (!isUsed) return own || other ? null : { kind: 'waiting' };
  if (own) return { kind: 'mined', ...own };
  return other ? { kind: 'canceled', block: other.block } : { kind: 'replaced' };
};

/** Skips outcomes that are recorded already and that neither confirm nor close the transaction. */
const isNews = ({ document, outcome, isDeep, isFinal }: Finding) => {
  const { seen, is_ended } = document;
  const isSame = seen?.kind === outcome.kind && blockOf(seen)?.hash === blockOf(outcome)?.hash;
  if (!isSame) return outcome.kind !== 'waiting' || Boolean(seen);
  return outcome.kind === 'mined' && !is_ended ? isDeep : isFinal;
};

/** Reads counts and inclusions as of the head of a view, each only once per head. */
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
    /** Counts at the final height: the block of a foreign replacement is unknown, but not the use of the nonce. */
    finalCounts: async (open: readonly OpenTransaction[], { final }: View): Promise<ReadonlyMap<string, number>> => {
      const at = open.length > 0 ? await chain.headerAt(final) : null;
      return new Map(at ? await countsAt(sendersOf(open), at) : []);
    },
  };
};

/**
 * Keeps the view of the newest head. A block on the chain of one head is on the chain of every head that descends from
 * it, so blocks are looked up again only after a reorganization.
 */
const createViews = ({ chain, system }: Ports) => {
  let view: View | null = null;
  /** Returns those of the known blocks in which open transactions were seen. */
  const blocksOf = async (open: readonly OpenTransaction[], known: ReadonlySet<string>) => {
    const blocks = new Set<string>();
    await eachInSlices(open, lookedAtOnce, system, ({ document }) => {
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

/** Reads from the chain, as of one head, the outcomes of sent transactions that are not recorded yet. */
export const createOutcomes = (ports: Ports, variant: Variant) => {
  const { readModels } = ports;
  const { readCounts, inclusions, finalCounts } = createReading(ports);
  type Known = OpenTransaction & { readonly outcome: Outcome };
  /** Returns the depths that transactions still have to reach. */
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
    const known = moved.flatMap((one) => {
      const outcome = outcomeOf(one.document, countOf(one.document), included);
      return outcome ? [{ ...one, outcome }] : [];
    });
    return { known, waiting };
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

  const look = async (open: readonly OpenTransaction[], view: View) => {
    const { standing, unknown } = partition(open, view);
    const { known, waiting } = await lookUp(unknown, view);
    const found: Finding[] = [];
    for (const one of await findings([...standing, ...known], view))
      if (isNews(one)) found.push(one);
      else view.settled.add(openKey(one));
    return { found, waiting };
  };
  return { viewOf: createViews(ports), look };
};
