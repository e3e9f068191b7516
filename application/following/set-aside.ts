import { chains } from '../../domain/variant.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

/** Contract whose balances an organization is not told, as it is kept across restarts. */
export type AsideEntry = {
  readonly organizationId: string;
  readonly contract: string;
  readonly reason: string;
  /** Time of the first failure, Unix ms. */
  readonly since: number;
  /** False when the contract only gave no answer: asking it costs the nodes nothing, so it is asked as before. */
  readonly isAvoided: boolean;
  /** Time of the next try, Unix ms. */
  readonly retryAt: number;
  readonly pauseMs: number;
};

const pauseMs = { first: 15_000, longest: 960_000 };
const most = 10_000;

const prefixOf = (variant: string) => `set-aside:${variant}:`;
const idOf = (variant: string, { organizationId, contract }: Pair) =>
  `${prefixOf(variant)}${organizationId}:${contract}`;
type Pair = Pick<AsideEntry, 'organizationId' | 'contract'>;

/** Reads the contracts of a chain whose balances are set aside. */
const readAside = async function* (state: StateStore, variant: string) {
  const prefix = prefixOf(variant);
  for (let ids = await state.ids('processes', prefix); ids.length > 0; ids = await state.ids('processes', last(ids)))
    for (const id of ids) {
      if (!id.startsWith(prefix)) return;
      const found = await state.get('processes', id);
      if (found) yield { entry: JSON.parse(found.value) as AsideEntry, revision: found.revision };
    }
};
const last = (ids: readonly string[]) => ids.at(-1) as string;

/** Lists the contracts of all chains whose balances are set aside. */
export const everyAside = async (state: StateStore) => {
  const found: (AsideEntry & { readonly chain: string })[] = [];
  for (const { tag: chain } of chains)
    for await (const { entry } of readAside(state, chain)) found.push({ ...entry, chain });
  return found;
};

/** Remembers which contracts cannot be asked for balances, by organization, and when each is tried again. */
export const createSetAside = ({ state, system }: { state: StateStore; system: System }, variant: string) => {
  const entries = new Map<string, { entry: AsideEntry; revision: number }>();
  const find = (pair: Pair) => entries.get(idOf(variant, pair));

  const keep = async (entry: AsideEntry) => {
    const id = idOf(variant, entry);
    const revision = entries.get(id)?.revision ?? noEntry;
    entries.set(id, { entry, revision: revision + 1 });
    if (await state.put('processes', id, JSON.stringify(entry), revision)) return;
    // Another process keeps the same entry; which of the two pauses counts does not matter.
    entries.set(id, { entry, revision: (await state.get('processes', id))?.revision ?? noEntry });
  };

  return {
    load: async () => {
      entries.clear();
      for await (const found of readAside(state, variant)) {
        entries.set(idOf(variant, found.entry), found);
        if (entries.size >= most) return;
      }
    },
    isAvoided: (pair: Pair) => find(pair)?.entry.isAvoided ?? false,
    isKept: (pair: Pair) => find(pair) !== undefined,
    count: () => entries.size,
    /** Begins a pause, or doubles it; returns false when there are too many to remember. */
    fail: async ({ organizationId, contract }: Pair, reason: string, isAvoided: boolean): Promise<boolean> => {
      const before = find({ organizationId, contract })?.entry;
      if (!before && entries.size >= most) return false;
      const pause = before ? Math.min(2 * before.pauseMs, pauseMs.longest) : pauseMs.first;
      const since = before?.since ?? system.now();
      const times = { since, retryAt: system.now() + pause, pauseMs: pause };
      await keep({ organizationId, contract, reason, isAvoided, ...times });
      return true;
    },
    clear: async (pair: Pair) => {
      entries.delete(idOf(variant, pair));
      await state.destroy('processes', idOf(variant, pair));
    },
    /** Returns the contracts that are to be tried again now. */
    due: (): AsideEntry[] =>
      [...entries.values()].flatMap(({ entry }) => (entry.retryAt <= system.now() ? [entry] : [])),
  };
};
export type SetAside = ReturnType<typeof createSetAside>;
