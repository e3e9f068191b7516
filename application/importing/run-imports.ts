import { Failure } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { type ImportDocument, runningImports } from '../../projections/statements/imports.js';
import { linkedController } from '../async/linked-controller.js';
import { allSettledOrThrow, createOrganizationQueue, firstOf } from '../async/turns/organization-queue.js';
import type { EventStore } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import type { Progress } from '../read-models/progress.js';
import { createRunningDocuments, type Running } from '../read-models/running-documents.js';
import { createImportTurn, type ImportPorts } from './import-blocks.js';
import { createImportEnd, type ImportJob, UnreadableBlock } from './import-end.js';

const organizationsAtOnce = 4;
/** Pause in ms before imports that wait for a block are tried again. */
const waitMs = 500;
const catchUpMs = 1000;
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

type RunningImport = Running<ImportDocument>;

/**
 * Creates a process that runs all imports of a chain. Organizations take turns, and each turn reads a bounded number
 * of blocks of one address. The process may stop at any point: after a restart, it continues after the last saved
 * block.
 */
export const createHistoryImporter = (
  ports: ImportPorts & { readonly events: EventStore; readonly progress: Progress; readonly system: System },
  variant: Variant,
) => {
  const { chain, progress, system } = ports;
  const takeTurn = createImportTurn(ports, variant);
  const { fail } = createImportEnd(ports, variant);
  const attempts = createAttempts();

  /** Ends an import whose block cannot be read. Throws while the nodes are unreachable or attempts are left. */
  const giveUp = async (job: ImportJob, error: UnreadableBlock) => {
    await chain.head();
    if (attempts.count(job.document.import_id, error.block) < maxAttempts) throw error;
    await fail(job, error.block, `${error.message}. ${advice}`);
    return 'ended' as const;
  };
  /** Takes a turn once the read models include the address, which was registered before the import was requested. */
  const tryTurn = async (job: RunningImport) => {
    if (!(await progress.reached(job.startedAt, catchUpMs, job.organizationId))) return 'waiting' as const;
    return takeTurn(job).catch((error: unknown) => {
      if (isBusy(error)) return 'waiting' as const;
      if (error instanceof UnreadableBlock) return giveUp(job, error);
      throw error;
    });
  };

  return async (signal: AbortSignal): Promise<void> => {
    const waiting = new Set<RunningImport>();
    const lanes = createOrganizationQueue<RunningImport>(system, {
      name: 'history importer',
      atOnce: organizationsAtOnce,
      work: async (lane) => {
        const [job] = firstOf(lane, 1);
        if (!job) return;
        // Moves the import to the end of its organization's lane, so that the other imports are served first.
        lane.delete(job);
        lane.add(job);
        const turn = await tryTurn(job);
        if (turn === 'more') return;
        lane.delete(job);
        if (turn === 'waiting') waiting.add(job);
        else attempts.forget(job.document.import_id);
      },
    });
    const add = (job: RunningImport) => lanes.add(job.organizationId, job);
    const running = createRunningDocuments(ports, runningImports, variant, {
      workOf: (document) => document.import_id,
      onStart: add,
    });
    const retryWaiting = async (stop: AbortSignal) => {
      while (!stop.aborted) {
        await system.sleep(waitMs, stop);
        const due = [...waiting];
        waiting.clear();
        for (const job of due) if (running.find(job.organizationId, job.id)?.startedAt === job.startedAt) add(job);
      }
    };

    await running.load();
    for (const own of running.byOrganization.values()) for (const job of own.values()) add(job);
    const stop = linkedController(signal);
    const parts = [lanes.run(stop.signal), running.follow(stop.signal), retryWaiting(stop.signal)];
    await allSettledOrThrow(parts.map((one) => one.finally(() => stop.abort())));
  };
};
