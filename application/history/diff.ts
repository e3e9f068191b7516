import { canonical } from '../../domain/aggregates/audit.js';
import { fail } from '../../domain/failure.js';
import { globalVariant } from '../../domain/variant.js';
import { projections } from '../../projections/index.js';
import { positionAt } from '../commands/position-at.js';
import type { EventStore, Moment, Position } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import { createFold, type DocumentChange, eventsUpTo } from './replay.js';

type Document = Readonly<Record<string, unknown>>;
type Value = { readonly before?: unknown; readonly after?: unknown };

/** Difference in one document between two moments. */
export type Difference = {
  readonly collection: string;
  /** Variant tag of the document's API, as in event metadata. */
  readonly chain: string;
  readonly id: string;
} & (
  | { readonly change: 'added' | 'removed'; readonly document: Document }
  | { readonly change: 'changed'; readonly fields: Readonly<Record<string, Value>> }
);

export type Differences = {
  readonly from: Position;
  readonly to: Position;
  /** Differences in collection order, then in the order of each document's first change. */
  readonly documents: Iterable<Difference>;
};

const changedFields = (before: Document, after: Document) =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((field) => canonical(before[field] ?? null) !== canonical(after[field] ?? null))
      .map((field): [string, Value] => [field, { before: before[field], after: after[field] }]),
  );

const differenceOf = ({ collection, scope, id, before, document }: DocumentChange): Difference | null => {
  const [was, is] = [before as Document | null, document as Document | null];
  const place = { collection: collection.name, chain: scope.split('/')[1] ?? globalVariant.tag, id };
  if (was && is) {
    const fields = changedFields(was, is);
    return Object.keys(fields).length > 0 ? { ...place, change: 'changed', fields } : null;
  }
  if (was) return { ...place, change: 'removed', document: was };
  return is && { ...place, change: 'added', document: is };
};

const differencesIn = function* (turned: Iterable<DocumentChange>) {
  for (const one of turned) {
    const difference = differenceOf(one);
    if (difference) yield difference;
  }
};

/** Lists the documents that differ between two moments. The first moment must not be after the last. */
export const createDifferences =
  ({ events, scratch }: { events: EventStore; scratch: () => ReadModels }) =>
  async (organizationId: string, first: Moment, last: Moment, signal: AbortSignal): Promise<Differences> => {
    const from = await positionAt(events, organizationId, first);
    const to = await positionAt(events, organizationId, last);
    if (from > to) fail('INVALID_ARGUMENT', 'from must not be after to');
    const apply = createFold(scratch());
    const touched = new Map(projections.map(({ name }) => [name, new Map<string, DocumentChange>()]));
    const note = (turned: DocumentChange) => {
      const ofCollection = touched.get(turned.collection.name);
      const slot = `${turned.scope}\n${turned.id}`;
      ofCollection?.set(slot, { ...turned, before: (ofCollection.get(slot) ?? turned).before });
    };
    for await (const batch of eventsUpTo(events, organizationId, to, signal)) {
      await apply(batch.filter(({ position }) => position <= from));
      for (const turned of await apply(batch.filter(({ position }) => position > from))) note(turned);
    }
    const all = function* () {
      for (const ofCollection of touched.values()) yield* differencesIn(ofCollection.values());
    };
    return { from, to, documents: all() };
  };
