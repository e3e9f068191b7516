import type { Position } from '../../../application/ports/event-store.js';
import {
  type Generation,
  maxHoldMs,
  NothingBuilt,
  type Positions,
  type RebuildableReadModels,
} from '../../../application/ports/generations.js';
import { type Change, type Checkpoint, type ReadModels, withoutParts } from '../../../application/ports/read-models.js';
import { StoreDown } from '../../../domain/failure.js';
import { memoryReadModels } from '../../../infrastructure/memory/read-models.js';
import type { AnyCollection, Collection } from '../../../projections/define.js';
import type { Gate } from './gate.js';

/** Generation of a collection: its documents as built by one replay of the events. */
type Built = {
  readonly declared: AnyCollection;
  readonly number: number;
  readonly documents: ReadModels;
  position: Position;
  isReady: boolean;
  writes: number;
};

/** Creates the documents and the checkpoint that all processes share. */
export const createDocuments = () => ({
  live: new Map<string, Built>(),
  building: new Map<string, Built>(),
  checkpoint: { revision: 0, positions: {} } as Checkpoint,
  heldUntil: 0,
  numbers: new Map<string, number>(),
});

export type SimulatedDocuments = ReturnType<typeof createDocuments>;

const isKnown = ({ declared }: Built, index: string) => Object.hasOwn(declared.indexes, index);

/** Opens the documents for one process. `collections` are those that the release of the process declares. */
export const simulatedReadModels = (
  store: SimulatedDocuments,
  gate: Gate,
  collections: readonly AnyCollection[],
): RebuildableReadModels => {
  const call = <T>(name: string, effect: () => T | Promise<T>) =>
    gate.call(`readModels.${name}`, effect).then((answer) => answer);
  const newBuilt = (declared: AnyCollection): Built => {
    const number = (store.numbers.get(declared.name) ?? 0) + 1;
    store.numbers.set(declared.name, number);
    return { declared, number, documents: memoryReadModels(), position: 0, isReady: false, writes: 0 };
  };
  for (const one of collections) if (!store.live.has(one.name)) store.live.set(one.name, newBuilt(one));
  const liveOf = ({ name }: AnyCollection) => {
    const found = store.live.get(name);
    if (!found) throw new StoreDown(`There is no collection ${name}.`);
    return found;
  };
  /** Returns the declaration under which the live documents were built, perhaps by another release. */
  const asBuilt = <Doc>(collection: Collection<Doc>) => liveOf(collection).declared as Collection<Doc>;
  const builtOf = ({ name }: AnyCollection) => {
    const found = store.building.get(name);
    if (!found) throw new NothingBuilt();
    return found;
  };
  /** Stores a copy of a document under the declaration that the generation was built with. */
  const write = (built: Built, { scope, id, document }: Change) => {
    const { declared, documents } = built;
    const change = { collection: declared, scope, id, document: structuredClone(document) };
    // The commit in memory takes effect before it returns a promise, which is therefore ignored.
    void documents.commit([change], { revision: built.writes++, positions: {} }, {});
  };
  const move = (positions: Checkpoint['positions']) => {
    store.checkpoint = { revision: store.checkpoint.revision + 1, positions };
  };
  const rejectIfNewer = () => {
    for (const { name, version } of collections)
      if ((store.live.get(name)?.declared.version ?? 0) > version)
        throw new StoreDown(`Collection ${name} belongs to a newer release.`);
  };
  const toGeneration = ({ declared, number, position }: Built, state: Generation['state']): Generation => ({
    collection: declared.name,
    number,
    version: declared.version,
    state,
    position,
  });

  return {
    get: (collection, key) => call('get', () => liveOf(collection).documents.get(asBuilt(collection), key)),
    getMany: (collection, keys) =>
      call('getMany', () => liveOf(collection).documents.getMany(asBuilt(collection), keys)),
    page: (collection, scope, query) =>
      call('page', () => {
        const live = liveOf(collection);
        if (Object.hasOwn(collection.indexes, query.index) && !isKnown(live, query.index))
          throw new StoreDown(`Collection ${collection.name} is being rebuilt.`);
        return live.documents.page(asBuilt(collection), scope, query);
      }),
    scan: (collection, after) => call('scan', () => liveOf(collection).documents.scan(asBuilt(collection), after)),
    checkpoint: () => call('checkpoint', () => store.checkpoint),
    commit: (changes, from, positions) =>
      call('commit', () => {
        rejectIfNewer();
        if (from.revision !== store.checkpoint.revision || gate.now() < store.heldUntil) return false;
        for (const change of changes) write(liveOf(change.collection), change);
        move(positions);
        return true;
      }),
    close: async () => undefined,
    generations: {
      listGenerations: () =>
        call('listGenerations', () => [
          ...[...store.live.values()].map((one) => toGeneration(one, 'live')),
          ...[...store.building.values()].map((one) => toGeneration(one, 'building')),
        ]),
      begin: (wanted) =>
        call('begin', () => {
          for (const one of wanted)
            if (store.building.get(one.name)?.declared.version !== one.version)
              store.building.set(one.name, newBuilt(one));
        }),
      built: {
        getMany: (collection, keys) => call('built', () => builtOf(collection).documents.getMany(collection, keys)),
        scan: (collection, after) => call('built', () => builtOf(collection).documents.scan(collection, after)),
      },
      build: (changes, from, to: Positions) =>
        call('build', () => {
          const moved = collections.filter(({ name }) => to[name] !== undefined);
          const isAt = ({ name, version }: AnyCollection) => {
            const found = store.building.get(name);
            return found?.declared.version === version && found.position === from[name];
          };
          if (!moved.every(isAt)) return false;
          for (const change of changes) write(builtOf(change.collection), change);
          for (const one of moved) builtOf(one).position = to[one.name] ?? 0;
          return true;
        }),
      makeReady: (wanted) =>
        call('makeReady', () => {
          for (const { name } of wanted) {
            const found = store.building.get(name);
            if (found) found.isReady = true;
          }
        }),
      swap: (wanted, end = Number.POSITIVE_INFINITY) =>
        call('swap', () => {
          const next = wanted.flatMap(({ name }) => store.building.get(name) ?? []);
          const { positions } = store.checkpoint;
          const isFit = ({ declared, isReady, position }: Built) =>
            isReady && position >= Math.min(positions[declared.name] ?? 0, end);
          if (next.length < wanted.length || !next.every(isFit)) return false;
          for (const one of next) {
            store.live.set(one.declared.name, one);
            store.building.delete(one.declared.name);
          }
          const names = new Set(wanted.map(({ name }) => name));
          const reached = Object.fromEntries(next.map(({ declared, position }) => [declared.name, position]));
          store.heldUntil = 0;
          move({ ...withoutParts(positions, names), ...reached });
          return true;
        }),
      hold: (ms) =>
        call('hold', () => {
          store.heldUntil = gate.now() + Math.min(ms, maxHoldMs);
          move(store.checkpoint.positions);
        }),
      abandon: (wanted) =>
        call('abandon', () => {
          for (const { name } of wanted) store.building.delete(name);
        }),
      removeRetired: () => call('removeRetired', () => undefined),
    },
  };
};
