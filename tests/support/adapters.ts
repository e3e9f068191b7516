import { join } from 'node:path';
import type { EventStore } from '../../application/ports/event-store.js';
import type { Limiter } from '../../application/ports/limiter.js';
import type { ReadModels } from '../../application/ports/read-models.js';
import type { StateStore } from '../../application/ports/state.js';
import { sqliteEventStore } from '../../infrastructure/sqlite/event-store.js';
import { sqliteLimiter } from '../../infrastructure/sqlite/limiter.js';
import { sqliteReadModels } from '../../infrastructure/sqlite/read-models.js';
import { sqliteState } from '../../infrastructure/sqlite/state.js';
import type { AnyCollection } from '../../projections/define.js';
import { freshDirectory } from './directories.js';

/** A new, empty place to store things; each `open` is one more process's view of the same place. */
export type Place<Store> = { open(): Promise<Store> };

/** Every adapter of every port, by name. A contract suite runs over each. */
export const eventStores = {
  sqlite: () => {
    const path = join(freshDirectory(), 'events.db');
    return { open: () => sqliteEventStore(path) };
  },
} satisfies Record<string, () => Place<EventStore>>;

export const readModels = {
  sqlite: (collections) => {
    const path = join(freshDirectory(), 'read-models.db');
    return { open: () => sqliteReadModels(path, collections) };
  },
} satisfies Record<string, (collections: readonly AnyCollection[]) => Place<ReadModels>>;

export const states = {
  sqlite: () => {
    const path = join(freshDirectory(), 'state.db');
    return { open: () => sqliteState(path) };
  },
} satisfies Record<string, () => Place<StateStore>>;

export const limiters = {
  sqlite: (now) => {
    const path = join(freshDirectory(), 'limiter.db');
    return { open: () => sqliteLimiter(path, now) };
  },
} satisfies Record<string, (now: () => number) => Place<Limiter>>;
