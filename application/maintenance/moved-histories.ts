import {
  firstLink,
  firstPlaces,
  nextLink,
  nextPlaces,
  type Standing,
  statementOf,
} from '../../domain/aggregates/audit.js';
import { readSealProgress, type SealProgress, sealProgressId, signSealProgress } from '../audit/seals/seal-progress.js';
import { organizationOf, type Position, type Recorded } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

type History = Standing & {
  /** Hash over the positions and commit times of the events in the source; `places` is the same hash for the target. */
  readonly before: string;
  /**
   * Progress of the sealer in the source; null if none is stored with a valid signature. `remembered` describes the
   * last event that this progress covers: its position in the target, and the hash `places` up to this event. Null
   * until the event was copied.
   */
  readonly progress: SealProgress | null;
  readonly remembered: { readonly places: string; readonly position: Position } | null;
};
type Ends = { readonly from: string; readonly to: string };

/**
 * Creates a record of the events of each organization during a migration. The record hashes the events in both stores,
 * and signs the statement that the target has the same events at other positions. The sealer's progress in the target
 * holds the statement until the sealer appends it to the organization's events.
 */
export const createMovedHistories = (state: StateStore, notary: Notary, sha256: System['sha256'], ends: Ends) => {
  const histories = new Map<string, History>();
  const sealProgressOf = async (organizationId: string) => {
    const entry = await state.get('processes', sealProgressId(organizationId));
    const found = entry && readSealProgress(organizationId, entry.value, notary);
    return found?.kind === 'signed' ? found.progress : null;
  };
  const begin = async (organizationId: string): Promise<History> => {
    const places = firstPlaces(organizationId, sha256);
    const progress = await sealProgressOf(organizationId);
    return { ...firstLink(organizationId, sha256), places, before: places, progress, remembered: null };
  };

  return {
    passed: async (old: Recorded, copy: Recorded) => {
      const organizationId = organizationOf(old.stream);
      const known = histories.get(organizationId) ?? (await begin(organizationId));
      const { count, hash } = nextLink(known, copy, sha256);
      const places = nextPlaces(known.places, count, copy, sha256);
      const before = nextPlaces(known.before, count, old, sha256);
      const isRemembered = known.progress?.count === count;
      const remembered = isRemembered ? { places, position: copy.position } : known.remembered;
      histories.set(organizationId, { ...known, count, hash, places, before, remembered });
    },
    organizations: () => histories as ReadonlyMap<string, Standing>,
    /**
     * Returns the sealer's progress to store as entry `id` of the target; null if `id` belongs to another kind of
     * entry, or if the progress in the source was forged.
     */
    sealProgressIn: (id: string): string | null => {
      const [, organizationId = ''] = id.split(':');
      const history = id === sealProgressId(organizationId) ? histories.get(organizationId) : undefined;
      if (!history?.progress || !history.remembered) return null;
      const { count, hash, before, places: after, progress, remembered } = history;
      const stated = { organizationId, count, hash, before, after, ...ends };
      const moved = { ...stated, keyId: notary.keyId, signature: notary.sign(statementOf('moved', stated)) };
      return signSealProgress(organizationId, { ...progress, ...remembered, moved }, notary);
    },
  };
};
export type MovedHistories = ReturnType<typeof createMovedHistories>;
