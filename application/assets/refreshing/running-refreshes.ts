import type { RefreshEvent, RefreshPartEvent } from '../../../domain/aggregates/refresh.js';
import { UnreadableEvent } from '../../../domain/upcasters.js';
import type { Variant } from '../../../domain/variant.js';
import { type RefreshDocument, refreshes, refreshKey } from '../../../projections/assets.js';
import { beginning, type EventStore, type Position, type Recorded } from '../../ports/event-store.js';
import type { ReadModels } from '../../ports/read-models.js';
import type { System } from '../../ports/system.js';
import { eventContextOf } from '../../read-models/event-context.js';
import { includedOfAll } from '../../read-models/progress.js';
import { documentsOfAllOwners } from '../../read-models/scan-owners.js';
import type { RefreshJob, RefreshProgress } from './refresh-part.js';

type Ports = {
  readonly events: Pick<EventStore, 'readAll' | 'subscribe'>;
  readonly readModels: ReadModels;
  readonly system: System;
};
/** Running refresh; `startedAt` is the position of its first event, which the read models may not include yet. */
export type RunningRefresh = RefreshJob & { readonly startedAt: Position };
type RunningEvent = RefreshEvent | Extract<RefreshPartEvent, { type: 'RefreshAdvanced' }>;

const keyOf = ({ wallet_id, standard }: RefreshDocument) => refreshKey(wallet_id, standard);
const isRunningEvent = ({ type }: { readonly type: string }) => Object.hasOwn(refreshes.on, type);

/** Creates an index of refreshes by organization, each organization's oldest first. */
const createIndex = () => {
  const byOrganization = new Map<string, Map<string, RunningRefresh>>();
  return {
    byOrganization: byOrganization as ReadonlyMap<string, ReadonlyMap<string, RunningRefresh>>,
    find: (organizationId: string, key: string) => byOrganization.get(organizationId)?.get(key) ?? null,
    set: (job: RunningRefresh) => {
      const jobs = byOrganization.get(job.organizationId) ?? new Map<string, RunningRefresh>();
      byOrganization.set(job.organizationId, jobs.set(keyOf(job.document), job));
    },
    remove: (organizationId: string, key: string) => {
      const jobs = byOrganization.get(organizationId);
      jobs?.delete(key);
      if (jobs?.size === 0) byOrganization.delete(organizationId);
    },
  };
};

/** Returns a function that applies the projection of running refreshes to the index. */
const createApply =
  ({ find, set, remove }: ReturnType<typeof createIndex>) =>
  (event: Recorded) => {
    const about = eventContextOf(event);
    const { organizationId } = about;
    const { type, data } = event as unknown as RunningEvent;
    const key = refreshKey(data.walletId, data.standard);
    const known = find(organizationId, key);
    const project = refreshes.on[type] as (
      doc: RefreshDocument | null,
      data: unknown,
      of: typeof about,
    ) => RefreshDocument | null;
    const next = project(known?.document ?? null, data, about);
    if (!next) return remove(organizationId, key);
    const isSame = next.refresh_id === known?.document.refresh_id;
    // Ignores events that are older than the index: this process records its own parts before their events arrive.
    if (isSame && next.part < known.document.part) return;
    set({ organizationId, document: next, startedAt: isSame ? known.startedAt : event.position });
  };

/**
 * Creates an index in memory of the running refreshes of all organizations on one chain. The read models are read only
 * by `load`: reading them for each part would make the work of each organization grow with the refreshes of all others.
 */
export const createRunningRefreshes = (ports: Ports, variant: Variant) => {
  const { events, readModels, system } = ports;
  const index = createIndex();
  const apply = createApply(index);
  let applied: Position = beginning;

  const applyReadable = (event: Recorded) => {
    if (event.metadata.variant !== variant.tag || !isRunningEvent(event)) return;
    try {
      apply(event);
    } catch (error) {
      // A process of the newer release that stored the event runs the refresh.
      if (!(error instanceof UnreadableEvent)) throw error;
    }
  };
  const applyAll = async (batches: AsyncIterable<readonly Recorded[]>) => {
    for await (const batch of batches) {
      for (const event of batch) applyReadable(event);
      applied = batch.at(-1)?.position ?? applied;
      await system.breathe();
    }
  };

  return {
    byOrganization: index.byOrganization,
    /** Fills the index from the read models and the events after their checkpoint. */
    load: async () => {
      // The checkpoint is read before the documents. Events that the documents already include change nothing.
      applied = includedOfAll(await readModels.checkpoint());
      for await (const job of documentsOfAllOwners(ports, refreshes, variant.tag))
        index.set({ ...job, startedAt: beginning });
      await applyAll(events.readAll(applied));
    },
    /** Applies events of any process as they are appended, until the signal fires. */
    follow: (signal: AbortSignal) => applyAll(events.subscribe(applied, signal)),
    /** Records the progress that a part of this process has stored, unless the refresh has been replaced or ended. */
    advance: ({ organizationId, document }: RefreshJob, progress: RefreshProgress) => {
      const key = keyOf(document);
      const known = index.find(organizationId, key);
      if (known?.document.refresh_id !== document.refresh_id) return;
      if (progress.isEnded) index.remove(organizationId, key);
      else if (progress.document.part >= known.document.part) index.set({ ...known, document: progress.document });
    },
  };
};
export type RunningRefreshes = ReturnType<typeof createRunningRefreshes>;
