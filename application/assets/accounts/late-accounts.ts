import type { Variant } from '../../../domain/variant.js';
import { groupBy } from '../../async/group-by.js';
import { mapInSlices } from '../../async/slices.js';
import { noEntry, type StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';

/** Accounts found in one go; `since` is the time of the first registration that they are due to, in Unix ms. */
type Finding = {
  readonly organizationId: string;
  readonly contract: string;
  readonly since: number;
  /** True when accounts of further addresses are being looked for. */
  readonly more: boolean;
};
type Entry = Finding & { readonly at: number };

/** Findings of one organization's accounts of one contract, whose blocks are read again together. */
export type LateAccounts = {
  readonly ids: readonly string[];
  readonly organizationId: string;
  readonly contract: string;
  readonly since: number;
};

/** Time after which a search that said nothing more does not keep its findings waiting. */
const patienceMs = 60_000;
const readAtOnce = 32;

/**
 * Keeps accounts that were found a while after the registration that they are due to, until the blocks in between are
 * read again. Each finding has an entry of its own, so that none is lost when another is added or removed.
 */
export const createLateAccounts = (state: StateStore, { tag }: Variant, system: System) => {
  const prefix = `late-accounts ${tag} `;
  const allIds = async () => {
    const found: string[] = [];
    for (let after = prefix; ; after = found.at(-1) ?? after) {
      const some = await state.ids('processes', after);
      const own = some.filter((id) => id.startsWith(prefix));
      found.push(...own);
      if (own.length < some.length || some.length === 0) return found;
    }
  };
  const read = async (id: string) => {
    const entry = await state.get('processes', id);
    return entry ? [{ id, ...(JSON.parse(entry.value) as Entry) }] : [];
  };
  const isReady = (some: readonly Entry[]) => {
    const last = some.reduce((a, b) => (b.at >= a.at ? b : a));
    return !last.more || system.now() - last.at > patienceMs;
  };
  return {
    add: async (finding: Finding): Promise<void> => {
      const entry: Entry = { ...finding, at: system.now() };
      await state.put('processes', `${prefix}${system.uuid()}`, JSON.stringify(entry), noEntry);
    },
    ready: async (): Promise<LateAccounts[]> => {
      const entries = (await mapInSlices(await allIds(), readAtOnce, read)).flat();
      const groups = groupBy(entries, ({ organizationId, contract }) => `${organizationId} ${contract}`);
      return [...groups.values()].filter(isReady).flatMap((some) => {
        const [first] = some;
        const since = Math.min(...some.map((one) => one.since));
        return first ? [{ ...first, since, ids: some.map(({ id }) => id) }] : [];
      });
    },
    remove: async ({ ids }: LateAccounts): Promise<void> => {
      for (const id of ids) await state.destroy('processes', id);
    },
  };
};
