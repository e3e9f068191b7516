import { fail } from '../../domain/failure.js';
import { type ImportDocument, imports } from '../../projections/statements/imports.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import { createImportProgress } from './import-progress.js';

export type FoundImport = ImportDocument & {
  /** Height of the last block that was read. Before any block was read, the height of the first block to read. */
  readonly current_block: number;
};
export type HistoryImports = {
  /** Returns an import and its progress. Rejects an unknown id with NOT_FOUND. */
  find(context: Context, importId: string): Promise<FoundImport>;
};

/**
 * Creates the queries for imports. `state` is null for queries as of a past moment, because past progress is not
 * stored.
 */
export const createHistoryImports = (ports: {
  readonly readModels: ReadModels;
  readonly state: StateStore | null;
}): HistoryImports => {
  const progress = ports.state && createImportProgress(ports.state);
  const reachedBy = async ({ import_id, state, from_block, to_block, failed_block }: ImportDocument) => {
    if (state === 'COMPLETED') return to_block;
    const next = state === 'FAILED' ? (failed_block ?? null) : await progress?.read(import_id);
    return Math.min(to_block, Math.max(from_block, (next ?? from_block) - 1));
  };
  return {
    find: async (context, importId) => {
      const found = await ports.readModels.get(imports, { scope: scopeFor(context), id: importId });
      if (!found) return fail('NOT_FOUND', `Import not found: ${importId}`);
      return { ...found, current_block: await reachedBy(found) };
    },
  };
};
