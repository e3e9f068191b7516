import type { Document } from 'bson';
import { type Collection, duplicateKey, type Index } from './collections.js';
import { heldUntil, writeConflict } from './errors.js';

type Changes = Map<Collection, Map<string, Document | null>>;

/**
 * View and pending writes of one command, or of all commands of one transaction. Other units see the writes only after
 * the commit.
 */
export type Unit = {
  read(collection: Collection, key: string): Document | undefined;
  documents(collection: Collection): Iterable<Document>;
  /** Writes a document, or removes it with null; throws if another transaction wrote the document first. */
  write(collection: Collection, key: string, document: Document | null): void;
};

type State = {
  readonly inTransaction: boolean;
  readonly own: Changes;
  /** Snapshot of the unit: earlier versions of the documents that other units have changed since its start. */
  readonly before: Changes;
  readonly claims: Map<Index, Map<string, string>>;
  readonly released: Promise<void>;
  readonly release: () => void;
};

const nested = <Outer, Key, Value>(map: Map<Outer, Map<Key, Value>>, outer: Outer): Map<Key, Value> => {
  const inner = map.get(outer) ?? new Map<Key, Value>();
  map.set(outer, inner);
  return inner;
};

const createState = (inTransaction: boolean): State => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { inTransaction, own: new Map(), before: new Map(), claims: new Map(), released, release };
};

const read = (state: State, collection: Collection, key: string): Document | undefined => {
  const own = state.own.get(collection)?.get(key);
  if (own !== undefined) return own ?? undefined;
  const before = state.before.get(collection)?.get(key);
  return before === undefined ? collection.documents.get(key) : (before ?? undefined);
};

/** Lists the documents in the order of insertion. Overlays the few changes on the collection, which is not copied. */
function* documents(state: State, collection: Collection): Iterable<Document> {
  const changes = [state.before.get(collection), state.own.get(collection)].filter((change) => change !== undefined);
  if (changes.length === 0) return yield* collection.documents.values();
  const changed = new Set(changes.flatMap((change) => [...change.keys()]));
  for (const [key, committed] of collection.documents) {
    const document = changed.has(key) ? read(state, collection, key) : committed;
    if (document) yield document;
  }
  for (const key of changed) {
    const document = collection.documents.has(key) ? undefined : read(state, collection, key);
    if (document) yield document;
  }
}

/**
 * Creates the functions that begin, commit and abort units. Commands run one at a time, so only open transactions can
 * conflict.
 */
export const createTransactions = () => {
  const open = new Set<State>();
  const states = new WeakMap<Unit, State>();
  const stateOf = (unit: Unit): State => {
    const state = states.get(unit);
    if (!state) throw new Error('The unit belongs to another double.');
    return state;
  };

  /**
   * Returns the error for a write to a document that another transaction holds. As on the server, a transaction fails
   * at once, and a write outside transactions waits.
   */
  const giveWayTo = (holder: State, state: State) =>
    state.inTransaction ? writeConflict() : heldUntil(holder.released);

  const assertFree = (state: State, collection: Collection, key: string) => {
    for (const other of open) if (other !== state && other.own.get(collection)?.has(key)) throw giveWayTo(other, state);
    if (state.before.get(collection)?.has(key)) throw writeConflict();
  };

  const assertNotOwned = (state: State, collection: Collection, index: Index, entry: string, owner: string) => {
    if (state.before.get(collection)?.has(owner)) throw writeConflict();
    const rival = read(state, collection, owner);
    if (rival && index.entryOf(rival) === entry) throw duplicateKey(collection, index, rival);
  };

  const assertUnique = (state: State, collection: Collection, index: Index, entry: string, key: string) => {
    const isRival = (owner: string | undefined): owner is string => owner !== undefined && owner !== key;
    const owners = [state.claims.get(index)?.get(entry), index.owners.get(entry)];
    for (const owner of owners.filter(isRival)) assertNotOwned(state, collection, index, entry, owner);
    for (const other of open)
      if (other !== state && isRival(other.claims.get(index)?.get(entry))) throw giveWayTo(other, state);
  };

  const claimEntries = (state: State, collection: Collection, key: string, document: Document) => {
    const entries = collection.indexes
      .filter(({ unique }) => unique)
      .map((index) => ({ index, entry: index.entryOf(document) }));
    for (const { index, entry } of entries) if (entry !== undefined) assertUnique(state, collection, index, entry, key);
    for (const { index, entry } of entries) if (entry !== undefined) nested(state.claims, index).set(entry, key);
  };

  const apply = (collection: Collection, key: string, document: Document | null) => {
    for (const other of open) {
      const before = nested(other.before, collection);
      if (!before.has(key)) before.set(key, collection.documents.get(key) ?? null);
    }
    collection.put(key, document);
  };

  const end = (state: State) => {
    open.delete(state);
    state.release();
  };

  return {
    begin: (inTransaction: boolean): Unit => {
      const state = createState(inTransaction);
      const unit: Unit = {
        read: (collection, key) => read(state, collection, key),
        documents: (collection) => documents(state, collection),
        write: (collection, key, document) => {
          assertFree(state, collection, key);
          if (document) claimEntries(state, collection, key, document);
          nested(state.own, collection).set(key, document);
        },
      };
      states.set(unit, state);
      if (inTransaction) open.add(state);
      return unit;
    },
    commit: (unit: Unit) => {
      const state = stateOf(unit);
      end(state);
      for (const [collection, changes] of state.own)
        for (const [key, document] of changes) apply(collection, key, document);
    },
    abort: (unit: Unit) => end(stateOf(unit)),
  };
};
