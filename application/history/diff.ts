import { canonical } from '../../domain/aggregates/audit.js';
import { fail } from '../../domain/failure.js';
import { globalVariant } from '../../domain/variant.js';
import { projections } from '../../projections/index.js';
import { slicesOf } from '../async/slices.js';
import { positionAt } from '../commands/position-at.js';
import type { EventStore, Moment, Position, Recorded } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { createFold, type DocumentChange, eventsUpTo, TooManyEvents } from './replay.js';

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
  /**
   * Document that changed and then returned to its state at the first moment. `meanwhile` is its first other state;
   * null if the document was absent in that state.
   */
  | { readonly change: 'undone'; readonly meanwhile: Document | null }
);

export type Differences = {
  readonly from: Position;
  readonly to: Position;
  /** Differences in collection order, then in the order of each document's first change. */
  readonly documents: Iterable<Difference>;
  /** Number of events that were read. */
  readonly events: number;
};

type Bounds = { readonly signal: Pick<AbortSignal, 'aborted'>; readonly maxEvents: number };
/**
 * Change of a document over the whole period. `meanwhile` is its first state that differs from `before` (null if it was
 * absent in that state); undefined if no state differed yet.
 */
type Touched = DocumentChange & { readonly meanwhile?: object | null };

/**
 * Number of events after which the event loop runs other work. Low, because each event of the period is applied on its
 * own.
 */
const eventsAtOnce = 100;

const isSame = (one: object | null, other: object | null) => canonical(one) === canonical(other);

const changedFields = (before: Document, after: Document) =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((field) => canonical(before[field] ?? null) !== canonical(after[field] ?? null))
      .map((field): [string, Value] => [field, { before: before[field], after: after[field] }]),
  );

const differenceOf = ({ collection, scope, id, before, document, meanwhile }: Touched): Difference | null => {
  const [was, is] = [before as Document | null, document as Document | null];
  const place = { collection: collection.name, chain: scope.split('/')[1] ?? globalVariant.tag, id };
  const fields = was && is ? changedFields(was, is) : {};
  if (Object.keys(fields).length > 0) return { ...place, change: 'changed', fields };
  if (was && !is) return { ...place, change: 'removed', document: was };
  if (is && !was) return { ...place, change: 'added', document: is };
  return meanwhile === undefined ? null : { ...place, change: 'undone', meanwhile: meanwhile as Document | null };
};

const differencesIn = function* (turned: Iterable<Touched>) {
  for (const one of turned) {
    const difference = differenceOf(one);
    if (difference) yield difference;
  }
};

/** Creates a collector of document changes, which yields the differences in collection order. */
const createTouched = () => {
  const touched = new Map(projections.map(({ name }) => [name, new Map<string, Touched>()]));
  return {
    note: (turned: DocumentChange) => {
      const ofCollection = touched.get(turned.collection.name);
      const slot = `${turned.scope}\n${turned.id}`;
      const { before, meanwhile } = ofCollection?.get(slot) ?? (turned as Touched);
      const other = meanwhile === undefined && !isSame(before, turned.document) ? turned.document : meanwhile;
      ofCollection?.set(slot, { ...turned, before, ...(other !== undefined && { meanwhile: other }) });
    },
    differences: function* () {
      for (const ofCollection of touched.values()) yield* differencesIn(ofCollection.values());
    },
  };
};

/**
 * Creates a function that lists the documents that differ between two moments, or that changed in between and changed
 * back. The first moment must not be after the last. The function rejects with TooManyEvents when more than
 * `maxEvents` events would be read.
 */
export const createDifferences =
  ({ events, scratch, system }: { events: EventStore; scratch: () => ReadModels; system: Pick<System, 'breathe'> }) =>
  async (organizationId: string, first: Moment, last: Moment, { signal, maxEvents }: Bounds): Promise<Differences> => {
    const from = await positionAt(events, organizationId, first);
    const to = await positionAt(events, organizationId, last);
    if (from > to) fail('INVALID_ARGUMENT', 'from must not be after to');
    const apply = createFold(scratch());
    const { note, differences } = createTouched();
    /** Applies events one by one: a whole batch would hide a change that a later event of the same batch undoes. */
    const applyEach = async (period: readonly Recorded[]) => {
      for (const slice of slicesOf(period, eventsAtOnce)) {
        for (const event of slice) for (const turned of await apply([event])) note(turned);
        await system.breathe();
      }
    };
    let count = 0;
    for await (const batch of eventsUpTo(events, organizationId, to, signal)) {
      const excess = batch[maxEvents - count];
      if (excess) throw new TooManyEvents(maxEvents, excess.position);
      count += batch.length;
      await apply(batch.filter(({ position }) => position <= from));
      await applyEach(batch.filter(({ position }) => position > from));
    }
    return { from, to, events: count, documents: differences() };
  };
