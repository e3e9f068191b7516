import type { EventContext } from '../../projections/define.js';
import type { AnyProjection } from '../../projections/index.js';
import type { Recorded } from '../ports/event-store.js';
import type { Change, DocumentKey } from '../ports/read-models.js';
import { eventContextOf } from '../read-models/event-context.js';

/** Document key; `slot` is the key as a single string. */
type Slotted = DocumentKey & { readonly slot: string };
type Touch = { readonly event: Recorded; readonly about: EventContext; readonly slot: string };
type Plan = {
  readonly projection: AnyProjection;
  readonly keys: readonly Slotted[];
  readonly touches: readonly Touch[];
};

export const slotOf = (scope: string, id: string) => `${scope}\n${id}`;

/** Thrown when the code of a projection cannot apply an event, as opposed to a failure of the store. */
export class CannotApply extends Error {
  override readonly name = 'CannotApply';
}
export const orCannotApply = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw new CannotApply(String(error), { cause: error });
  }
};

/** Finds the documents that the events touch. */
export const plan = (projection: AnyProjection, events: readonly Recorded[]): Plan => {
  const keys = new Map<string, Slotted>();
  const touches = events.map((event) => {
    const about = eventContextOf(event);
    const [scope, id] = [projection.scope(about), projection.key(event)];
    const slot = slotOf(scope, id);
    if (!keys.has(slot)) keys.set(slot, { scope, id, slot });
    return { event, about, slot };
  });
  return { projection, keys: [...keys.values()], touches };
};

/** Folds the events in memory, so that each document is written once, no matter how many events touch it. */
export const fold = ({ projection, keys, touches }: Plan, loaded: readonly (object | null)[]): Change[] => {
  const documents = new Map(keys.map(({ slot }, i) => [slot, loaded[i] ?? null]));
  for (const { event, about, slot } of touches)
    documents.set(slot, projection.on[event.type]?.(documents.get(slot) ?? null, event.data, about) ?? null);
  return keys.map(({ scope, id, slot }) => ({
    scope,
    id,
    collection: projection,
    document: documents.get(slot) ?? null,
  }));
};
