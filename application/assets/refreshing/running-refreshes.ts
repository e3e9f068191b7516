import type { Variant } from '../../../domain/variant.js';
import { type RefreshDocument, refreshes } from '../../../projections/assets.js';
import { createRunningDocuments, type Running } from '../../read-models/running-documents.js';
import type { RefreshProgress } from './refresh-part.js';

export type RunningRefresh = Running<RefreshDocument>;

/** Creates an index in memory of the running refreshes of all organizations on one chain. */
export const createRunningRefreshes = (ports: Parameters<typeof createRunningDocuments>[0], variant: Variant) => {
  const { byOrganization, find, set, remove, load, follow } = createRunningDocuments(ports, refreshes, variant, {
    workOf: (document) => document.refresh_id,
    // Ignores events of earlier parts, because this process records its own parts before their events arrive.
    isOlder: (document, known) => document.part < known.part,
  });
  return {
    byOrganization,
    load,
    follow,
    /** Records the progress that a part of this process has stored, unless the refresh has been replaced or ended. */
    advance: ({ organizationId, id, document }: RunningRefresh, progress: RefreshProgress) => {
      const known = find(organizationId, id);
      if (known?.document.refresh_id !== document.refresh_id) return;
      if (progress.isEnded) remove(organizationId, id);
      else if (progress.document.part >= known.document.part) set({ ...known, document: progress.document });
    },
  };
};
export type RunningRefreshes = ReturnType<typeof createRunningRefreshes>;
