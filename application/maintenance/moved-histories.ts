import {
  firstLink,
  firstPlaces,
  nextLink,
  nextPlaces,
  type Standing,
  statementOf,
} from '../../domain/aggregates/audit.js';
import { type Memory, memoryId, readMemory, signedMemory } from '../audit/seal-progress.js';
import { organizationOf, type Position, type Recorded } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

type History = Standing & {
  /** Hash over the places in the store that is moved from; `places` is that of the new store. */
  readonly before: string;
  /** Memory of the sealer, and its last event in the new store once that was passed. */
  readonly memory: Memory | null;
  readonly remembered: { readonly places: string; readonly position: Position } | null;
};
type Ends = { readonly from: string; readonly to: string };

/**
 * Follows both stores of a move event by event, and signs for each organization what moved: the same events at other
 * positions. The sealer's memory in the new store carries the record until the sealer writes it into the history.
 */
export const createMovedHistories = (state: StateStore, notary: Notary, sha256: System['sha256'], ends: Ends) => {
  const histories = new Map<string, History>();
  const memoryOf = async (organizationId: string) => {
    const entry = await state.get('processes', memoryId(organizationId));
    const found = entry && readMemory(organizationId, entry.value, notary);
    return found?.kind === 'signed' ? found.memory : null;
  };
  const begin = async (organizationId: string): Promise<History> => {
    const places = firstPlaces(organizationId, sha256);
    const memory = await memoryOf(organizationId);
    return { ...firstLink(organizationId, sha256), places, before: places, memory, remembered: null };
  };

  return {
    passed: async (old: Recorded, copy: Recorded) => {
      const organizationId = organizationOf(old.stream);
      const known = histories.get(organizationId) ?? (await begin(organizationId));
      const { count, hash } = nextLink(known, copy, sha256);
      const places = nextPlaces(known.places, count, copy, sha256);
      const before = nextPlaces(known.before, count, old, sha256);
      const isRemembered = known.memory?.count === count;
      const remembered = isRemembered ? { places, position: copy.position } : known.remembered;
      histories.set(organizationId, { ...known, count, hash, places, before, remembered });
    },
    organizations: () => histories as ReadonlyMap<string, Standing>,
    /** Returns the entry of the sealer's memory for the new store; null for every other entry, and one that is false. */
    memoryIn: (id: string): string | null => {
      const [, organizationId = ''] = id.split(':');
      const history = id === memoryId(organizationId) ? histories.get(organizationId) : undefined;
      if (!history?.memory || !history.remembered) return null;
      const { count, hash, before, places: after, memory, remembered } = history;
      const stated = { organizationId, count, hash, before, after, ...ends };
      const moved = { ...stated, keyId: notary.keyId, signature: notary.sign(statementOf('moved', stated)) };
      return signedMemory(organizationId, { ...memory, ...remembered, moved }, notary);
    },
  };
};
export type MovedHistories = ReturnType<typeof createMovedHistories>;
