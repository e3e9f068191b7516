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
export const eventStores: Readonly<Record<string, () => Place<EventStore>>> = {
  sqlite: () => {
    const path = join(freshDirectory(), 'events.db');
    return { open: () => sqliteEventStore(path) };
  },
};

export const readModels: Readonly<Record<string, (collections: readonly AnyCollection[]) => Place<ReadModels>>> = {
  sqlite: (collections) => {
    const path = join(freshDirectory(), 'read-models.db');
    return { open: () => sqliteReadModels(path, collections) };
  },
};

export const states: Readonly<Record<string, () => Place<StateStore>>> = {
  sqlite: () => {
    const path = join(freshDirectory(), 'state.db');
    return { open: () => sqliteState(path) };
  },
};

export const limiters: Readonly<Record<string, (now: () => number) => Place<Limiter>>> = {
  sqlite: (now) => {
    const path = join(freshDirectory(), 'limiter.db');
    return { open: () => sqliteLimiter(path, now) };
  },
};
