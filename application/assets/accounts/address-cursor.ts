import type { Variant } from '../../../domain/variant.js';
import type { PageKey } from '../../ports/read-models.js';
import { noEntry, type StateStore } from '../../ports/state.js';

type Place = { readonly after: PageKey | undefined; readonly revision: number };

/**
 * Creates functions that read and save, for each organization and contract, the last address whose token account was
 * looked up. Addresses are visited in the order of registration, so later registrations come after the cursor.
 */
export const createAddressCursors = (state: StateStore, { tag }: Variant) => {
  const idOf = (organizationId: string, contract: string) => `token-accounts ${tag} ${organizationId} ${contract}`;
  return {
    read: async (organizationId: string, contract: string, head: number): Promise<Place> => {
      const entry = await state.get('processes', idOf(organizationId, contract));
      const after: PageKey | undefined = entry ? JSON.parse(entry.value) : undefined;
      // The cursor is ignored if the event store ends before the event that registered the saved address, as it does
      // after an older backup was restored.
      const isThere = after !== undefined && Number(after[0]) <= head;
      return { after: isThere ? after : undefined, revision: entry?.revision ?? noEntry };
    },
    /**
     * Saves the cursor. Does nothing if another process has saved the cursor first, because both processes find the
     * same accounts.
     */
    save: async (organizationId: string, contract: string, { after, revision }: Place) => {
      await state.put('processes', idOf(organizationId, contract), JSON.stringify(after), revision);
    },
  };
};
