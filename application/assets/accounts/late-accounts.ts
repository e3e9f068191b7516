import type { Variant } from '../../../domain/variant.js';
import { groupBy } from '../../async/group-by.js';
import { mapInSlices } from '../../async/slices.js';
import { noEntry, type StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';

/**
 * Token accounts found in one step. `since` is the earliest time (Unix ms) from which one of these accounts should have
 * been followed.
 */
type Finding = {
  readonly organizationId: string;
  readonly contract: string;
  readonly since: number;
  /** True while the search continues with further addresses. */
  readonly more: boolean;
};
type Entry = Finding & { readonly at: number };

/**
 * Token accounts of one organization and contract that were found after the registration of their address or contract.
 * The blocks from `since` on are read again, once for all these accounts.
 */
export type LateAccounts = {
  readonly ids: readonly string[];
  readonly organizationId: string;
  readonly contract: string;
  readonly since: number;
};

/** Time in ms without a new finding after which a search counts as ended. */
const maxIdleMs = 60_000;
const readAtOnce = 32;

/**
 * Creates the store of late accounts: token accounts that were found after the registration of their address or
 * contract. An account is kept until the blocks between the registration and its discovery have been read again. Each
 * finding is a separate entry, so that concurrent writes do not overwrite each other.
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
    return !last.more || system.now() - last.at > maxIdleMs;
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
        const since = some.reduce((least, one) => Math.min(least, one.since), Number.POSITIVE_INFINITY);
        return first ? [{ ...first, since, ids: some.map(({ id }) => id) }] : [];
      });
    },
    remove: async ({ ids }: LateAccounts): Promise<void> => {
      for (const id of ids) await state.destroy('processes', id);
    },
  };
};
