import { type HistoryImportCommand, historyImport } from '../../domain/aggregates/ledger/history-import.js';
import type { Variant } from '../../domain/variant.js';
import type { ImportDocument } from '../../projections/statements/imports.js';
import { type Context, type Handle, step } from '../commands/handle.js';
import type { Chain } from '../ports/chain.js';
import type { ImportProgress } from './import-progress.js';
import { importStream } from './import-request.js';

/** Running import (ImportHistory), with the organization of its address. */
export type ImportJob = { readonly organizationId: string; readonly document: ImportDocument };

/** Thrown when an import cannot read a block, for example because no node returns it. */
export class UnreadableBlock extends Error {
  override readonly name = 'UnreadableBlock';
  readonly block: number;
  constructor(block: number, reason: string) {
    super(`Block ${block} cannot be read: ${reason}`);
    this.block = block;
  }
}

export const contextOf = (variant: Variant, { organizationId, document }: ImportJob): Context => ({
  organizationId,
  variant,
  actor: { kind: 'process', id: 'history importer' },
  requestId: `import ${document.import_id}`,
});

/** Creates functions that record how an import ended. Each of the functions is idempotent. */
export const createImportEnd = (
  ports: { readonly chain: Chain; readonly handle: Handle; readonly importProgress: ImportProgress },
  variant: Variant,
) => {
  const { chain, handle, importProgress } = ports;
  const end = async (job: ImportJob, command: HistoryImportCommand) => {
    const context: Context = { ...contextOf(variant, job), repeatable: true };
    const key = importStream(context, job.document.address);
    await handle(context, [step(historyImport, context.organizationId, key, command)]);
    await importProgress.remove(job.document.import_id);
  };
  const ofImport = ({ import_id, wallet_id, address }: ImportDocument) => ({
    importId: import_id,
    walletId: wallet_id,
    address,
  });
  return {
    complete: async (job: ImportJob) => {
      const { from_block: completeSince, chain: first } = job.document;
      const since = await chain.headerAt(completeSince);
      if (!since) throw new UnreadableBlock(completeSince, 'no node has the block');
      const untraced = chain.traced?.() === false && { untraced: true as const };
      const data = { ...ofImport(job.document), completeSince, sinceTime: since.time, chain: first, ...untraced };
      await end(job, { type: 'Complete', data });
    },
    fail: (job: ImportJob, block: number, reason: string) =>
      end(job, { type: 'Fail', data: { ...ofImport(job.document), block, reason } }),
  };
};
