import { chains } from '../../domain/variant.js';
import { createPriorityQueue } from '../async/priority-queue.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

/**
 * Contract whose balances could not be read for an organization. The entry is stored, so that a restart does not lose
 * it.
 */
export type FailingContract = {
  readonly organizationId: string;
  readonly contract: string;
  readonly reason: string;
  /** Time of the first failure, Unix ms. */
  readonly since: number;
  /**
   * True if only retries read balances of the contract. False if the contract merely returned nothing: such calls are
   * cheap, so its balances are still read as usual.
   */
  readonly isAvoided: boolean;
  /** Time of the next attempt, Unix ms. */
  readonly retryAt: number;
  readonly pauseMs: number;
};

const pauseMs = { first: 15_000, max: 960_000 };
/**
 * Maximum number of entries of one organization. Contracts above the maximum get no entry, and their balances are not
 * retried.
 */
const maxEntries = 10_000;

const prefixOf = (variant: string) => `set-aside:${variant}:`;
const idOf = (variant: string, { organizationId, contract }: Pair) =>
  `${prefixOf(variant)}${organizationId}:${contract}`;
type Pair = Pick<FailingContract, 'organizationId' | 'contract'>;

/** Yields the failing contracts of a chain. */
const readFailingContracts = async function* (state: StateStore, variant: string) {
  const prefix = prefixOf(variant);
  for (let ids = await state.ids('processes', prefix); ids.length > 0; ids = await state.ids('processes', last(ids)))
    for (const id of ids) {
      if (!id.startsWith(prefix)) return;
      const found = await state.get('processes', id);
      if (found) yield { entry: JSON.parse(found.value) as FailingContract, revision: found.revision };
    }
};
const last = (ids: readonly string[]) => ids.at(-1) as string;

/** Lists the failing contracts of all chains. */
export const allFailingContracts = async (state: StateStore) => {
  const found: (FailingContract & { readonly chain: string })[] = [];
  for (const { tag: chain } of chains)
    for await (const { entry } of readFailingContracts(state, chain)) found.push({ ...entry, chain });
  return found;
};

type Kept = { readonly entry: FailingContract; readonly revision: number };

/**
 * Creates a tracker of the contracts, by organization, whose balances cannot be read, and of the next attempt for each.
 */
export const createFailingContracts = ({ state, system }: { state: StateStore; system: System }, variant: string) => {
  const byOrganization = new Map<string, Map<string, Kept>>();
  const attempts = createPriorityQueue<FailingContract>();
  const find = ({ organizationId, contract }: Pair) => byOrganization.get(organizationId)?.get(contract);
  const isFull = ({ organizationId }: Pair) => (byOrganization.get(organizationId)?.size ?? 0) >= maxEntries;
  const isCurrent = (entry: FailingContract) => find(entry)?.entry === entry;

  const remember = (kept: Kept) => {
    const { organizationId, contract } = kept.entry;
    const own = byOrganization.get(organizationId) ?? new Map<string, Kept>();
    byOrganization.set(organizationId, own.set(contract, kept));
  };
  const keep = async (entry: FailingContract) => {
    const id = idOf(variant, entry);
    const revision = find(entry)?.revision ?? noEntry;
    remember({ entry, revision: revision + 1 });
    attempts.push(entry.retryAt, entry);
    if (await state.put('processes', id, JSON.stringify(entry), revision)) return;
    // Another process saved the same entry; which of the two retry times wins does not matter.
    remember({ entry, revision: (await state.get('processes', id))?.revision ?? noEntry });
  };

  return {
    load: async () => {
      for (const part of [byOrganization, attempts]) part.clear();
      for await (const kept of readFailingContracts(state, variant)) {
        if (isFull(kept.entry)) continue;
        remember(kept);
        attempts.push(kept.entry.retryAt, kept.entry);
      }
    },
    isAvoided: (pair: Pair) => find(pair)?.entry.isAvoided ?? false,
    isKept: (pair: Pair) => find(pair) !== undefined,
    /** Returns false once the contract has recovered, or has failed again and thus has a newer entry. */
    isCurrent,
    /** Starts the backoff of a contract, or doubles its pause. */
    fail: async (pair: Pair, reason: string, isAvoided: boolean): Promise<void> => {
      const before = find(pair)?.entry;
      if (!before && isFull(pair)) return;
      const pause = before ? Math.min(2 * before.pauseMs, pauseMs.max) : pauseMs.first;
      const since = before?.since ?? system.now();
      const { organizationId, contract } = pair;
      const times = { since, retryAt: system.now() + pause, pauseMs: pause };
      await keep({ organizationId, contract, reason, isAvoided, ...times });
    },
    clear: async (pair: Pair) => {
      byOrganization.get(pair.organizationId)?.delete(pair.contract);
      await state.destroy('processes', idOf(variant, pair));
    },
    /** Returns the entries whose next attempt is due, each once. */
    takeDue: (): FailingContract[] => attempts.takeUpTo(system.now()).filter(isCurrent),
  };
};
export type FailingContracts = ReturnType<typeof createFailingContracts>;
