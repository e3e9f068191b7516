import { noEntry, type StateStore } from '../ports/state.js';

/**
 * Progress of running imports. A loss of this progress is harmless: the import starts over and records nothing twice.
 */
export type ImportProgress = {
  /** Returns the next block to read; null before the first part was read. */
  read(importId: string): Promise<number | null>;
  save(importId: string, next: number): Promise<void>;
  remove(importId: string): Promise<void>;
};

const idOf = (importId: string) => `import:${importId}`;

export const createImportProgress = (state: StateStore): ImportProgress => ({
  read: async (importId) => {
    const entry = await state.get('processes', idOf(importId));
    return entry && Number(entry.value);
  },
  save: async (importId, next) => {
    const before = await state.get('processes', idOf(importId));
    // Keeps a later block that another process has saved, because that process has already recorded all
    // earlier blocks.
    if (Number(before?.value ?? 0) < next)
      await state.put('processes', idOf(importId), String(next), before?.revision ?? noEntry);
  },
  remove: (importId) => state.destroy('processes', idOf(importId)),
});
