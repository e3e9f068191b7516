import { chains } from '../../domain/variant.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

/** Contract whose balances could not be read for an organization, kept across restarts. */
export type FailingContract = {
  readonly organizationId: string;
  readonly contract: string;
  readonly reason: string;
  /** Time of the first failure, Unix ms. */
  readonly since: number;
  /**
   * True if only retries read balances of the contract. False if the contract merely returned nothing: such calls are
   * cheap, so they are still made.
   */
  readonly isAvoided: boolean;
  /** Time of the next attempt, Unix ms. */
  readonly retryAt: number;
  readonly pauseMs: number;
};

const pauseMs = { first: 15_000, max: 960_000 };
/** Maximum number of entries of one organization. Beyond it, contracts get no entry and their balances no retry. */
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

/** Tracks the contracts whose balances cannot be read, by organization, and their next attempt. */
export const createFailingContracts = ({ state, system }: { state: StateStore; system: System }, variant: string) => {
  const entries = new Map<string, { entry: FailingContract; revision: number }>();
  const counts = new Map<string, number>();
  const countOf = ({ organizationId }: Pair) => counts.get(organizationId) ?? 0;
  const count = (pair: Pair, by: 1 | -1) => counts.set(pair.organizationId, countOf(pair) + by);
  const find = (pair: Pair) => entries.get(idOf(variant, pair));

  const keep = async (entry: FailingContract) => {
    const id = idOf(variant, entry);
    const revision = entries.get(id)?.revision ?? noEntry;
    if (!entries.has(id)) count(entry, 1);
    entries.set(id, { entry, revision: revision + 1 });
    if (await state.put('processes', id, JSON.stringify(entry), revision)) return;
    // Another process saved the same entry; which of the two retry times wins does not matter.
    entries.set(id, { entry, revision: (await state.get('processes', id))?.revision ?? noEntry });
  };

  return {
    load: async () => {
      entries.clear();
      counts.clear();
      for await (const found of readFailingContracts(state, variant)) {
        if (countOf(found.entry) >= maxEntries) continue;
        entries.set(idOf(variant, found.entry), found);
        count(found.entry, 1);
      }
    },
    isAvoided: (pair: Pair) => find(pair)?.entry.isAvoided ?? false,
    isKept: (pair: Pair) => find(pair) !== undefined,
    /** Starts the backoff of a contract, or doubles its pause. */
    fail: async ({ organizationId, contract }: Pair, reason: string, isAvoided: boolean): Promise<void> => {
      const before = find({ organizationId, contract })?.entry;
      if (!before && countOf({ organizationId, contract }) >= maxEntries) return;
      const pause = before ? Math.min(2 * before.pauseMs, pauseMs.max) : pauseMs.first;
      const since = before?.since ?? system.now();
      const times = { since, retryAt: system.now() + pause, pauseMs: pause };
      await keep({ organizationId, contract, reason, isAvoided, ...times });
    },
    clear: async (pair: Pair) => {
      if (entries.delete(idOf(variant, pair))) count(pair, -1);
      await state.destroy('processes', idOf(variant, pair));
    },
    /** Returns the contracts whose next attempt is due. */
    due: (): FailingContract[] =>
      [...entries.values()].flatMap(({ entry }) => (entry.retryAt <= system.now() ? [entry] : [])),
  };
};
export type FailingContracts = ReturnType<typeof createFailingContracts>;
