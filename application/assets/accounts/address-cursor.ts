import type { Variant } from '../../../domain/variant.js';
import type { PageKey } from '../../ports/read-models.js';
import { noEntry, type StateStore } from '../../ports/state.js';

type Place = { readonly after: PageKey | undefined; readonly revision: number };

/**
 * Keeps up to which of an organization's addresses, in the order of their registration, the accounts of a contract are
 * found. Addresses that are registered later come after it.
 */
export const createAddressCursors = (state: StateStore, { tag }: Variant) => {
  const idOf = (organizationId: string, contract: string) => `token-accounts ${tag} ${organizationId} ${contract}`;
  return {
    read: async (organizationId: string, contract: string, head: number): Promise<Place> => {
      const entry = await state.get('processes', idOf(organizationId, contract));
      const after: PageKey | undefined = entry ? JSON.parse(entry.value) : undefined;
      // A store restored from a backup may end before the saved address.
      const isThere = after !== undefined && Number(after[0]) <= head;
      return { after: isThere ? after : undefined, revision: entry?.revision ?? noEntry };
    },
    /** Saves the place unless another process did so first, which then finds the same accounts. */
    save: async (organizationId: string, contract: string, { after, revision }: Place) => {
      await state.put('processes', idOf(organizationId, contract), JSON.stringify(after), revision);
    },
  };
};
