import { Failure } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { runningImports } from '../../projections/statements/imports.js';
import { linkedController } from '../async/linked-controller.js';
import { createOrganizationQueue, firstOf } from '../async/turns/organization-queue.js';
import type { System } from '../ports/system.js';
import { documentsOfAllOwners } from '../read-models/scan-owners.js';
import { createImportTurn, type ImportPorts } from './import-blocks.js';
import { createImportEnd, type ImportJob, UnreadableBlock } from './import-end.js';

const organizationsAtOnce = 4;
const pollIntervalMs = 500;
/**
 * Number of failed attempts to read a block after which an import fails. Attempts while the nodes are unreachable do
 * not count.
 */
const maxAttempts = 6;

const advice =
  'Old blocks need a node that keeps them, and blocks in which contracts send coins need an archive node with traces. Connect such a node, or request the import from a later block.';

/** Creates a counter of the consecutive failed attempts of each import to read the same block. */
const createAttempts = () => {
  const failed = new Map<string, { readonly block: number; readonly count: number }>();
  return {
    count: (importId: string, block: number) => {
      const before = failed.get(importId);
      const count = before?.block === block ? before.count + 1 : 1;
      failed.set(importId, { block, count });
      return count;
    },
    forget: (importId: string) => failed.delete(importId),
  };
};

/** Returns whether an error only means that the follower has not finished a block yet. */
const isBusy = (error: unknown) => error instanceof Failure && error.code === 'CONFLICT';

/**
 * Creates a process that runs all imports of a chain. Organizations take turns, and each turn reads a bounded number
 * of blocks of one address. The process may stop at any point: after a restart, it continues after the last saved
 * block.
 */
export const createHistoryImporter = (ports: ImportPorts & { readonly system: System }, variant: Variant) => {
  const { chain, system } = ports;
  const takeTurn = createImportTurn(ports, variant);
  const { fail } = createImportEnd(ports, variant);
  const attempts = createAttempts();
  /** Ids of imports that are queued, or that ended but are still listed as running in the read models. */
  const known = new Set<string>();

  /** Ends an import whose block cannot be read. Throws while the nodes are unreachable or attempts are left. */
  const giveUp = async (job: ImportJob, error: UnreadableBlock) => {
    await chain.head();
    if (attempts.count(job.document.import_id, error.block) < maxAttempts) throw error;
    await fail(job, error.block, `${error.message}. ${advice}`);
    return 'ended' as const;
  };
  const tryTurn = (job: ImportJob) =>
    takeTurn(job).catch((error: unknown) => {
      if (isBusy(error)) return 'waiting' as const;
      if (error instanceof UnreadableBlock) return giveUp(job, error);
      throw error;
    });

  const lanes = createOrganizationQueue<ImportJob>(system, {
    name: 'history importer',
    atOnce: organizationsAtOnce,
    work: async (lane) => {
      const [job] = firstOf(lane, 1);
      if (!job) return;
      const { import_id: importId } = job.document;
      // Moves the import to the end of its organization's lane, so that the other imports are served first.
      lane.delete(job);
      lane.add(job);
      const turn = await tryTurn(job);
      if (turn === 'more') return;
      lane.delete(job);
      if (turn === 'waiting') known.delete(importId);
      else attempts.forget(importId);
    },
  });

  const poll = async () => {
    const shown = new Set<string>();
    for await (const job of documentsOfAllOwners(ports, runningImports, variant.tag)) {
      const { import_id: importId } = job.document;
      shown.add(importId);
      if (known.has(importId)) continue;
      known.add(importId);
      lanes.add(job.organizationId, job);
    }
    for (const importId of known) if (!shown.has(importId)) known.delete(importId);
  };

  return async (signal: AbortSignal): Promise<void> => {
    const stop = linkedController(signal);
    const working = lanes.run(stop.signal);
    try {
      while (!signal.aborted) {
        await poll();
        await system.sleep(pollIntervalMs, signal);
      }
    } finally {
      stop.abort();
      await working;
    }
  };
};
