import type { About } from '../projections/define.js';
import type { AnyProjection } from '../projections/index.js';
import type { Recorded } from './ports/event-store.js';
import type { Change, DocumentKey } from './ports/read-models.js';

type Touch = { readonly event: Recorded; readonly about: About; readonly slot: string };
type Plan = {
  readonly projection: AnyProjection;
  readonly keys: readonly DocumentKey[];
  readonly touches: readonly Touch[];
};

const slotOf = ({ scope, id }: DocumentKey) => `${scope}\n${id}`;
const aboutOf = ({ metadata, position }: Recorded): About => ({
  organizationId: metadata.organizationId,
  variant: metadata.variant,
  occurredAt: metadata.occurredAt,
  position,
});

/** Which documents the events touch. */
export const plan = (projection: AnyProjection, events: readonly Recorded[]): Plan => {
  const keys = new Map<string, DocumentKey>();
  const touches = events.map((event) => {
    const about = aboutOf(event);
    const key = { scope: projection.scope(about), id: projection.key(event) };
    const slot = slotOf(key);
    keys.set(slot, key);
    return { event, about, slot };
  });
  return { projection, keys: [...keys.values()], touches };
};

/** What they become: each is folded in memory and written once, however many events touch it. */
export const fold = ({ projection, keys, touches }: Plan, loaded: readonly (object | null)[]): Change[] => {
  const documents = new Map(keys.map((key, i) => [slotOf(key), loaded[i] ?? null]));
  for (const { event, about, slot } of touches)
    documents.set(slot, projection.on[event.type]?.(documents.get(slot) ?? null, event.data, about) ?? null);
  return keys.map((key) => ({ ...key, collection: projection, document: documents.get(slotOf(key)) ?? null }));
};
