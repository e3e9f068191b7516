import { join } from 'node:path';
import type { EventStore } from '../../../application/ports/event-store.js';
import { openNotary } from '../../../infrastructure/keys/audit-key.js';
import { keyRingIn } from '../../../infrastructure/keys/master-key.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { sqliteReadModels } from '../../../infrastructure/sqlite/read-models/read-models.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { projections } from '../../../projections/index.js';
import { composeApp, openStores } from '../following/following.js';
import { evmEverywhere, openVault } from './past.js';
import { walk } from './rebuild.js';

/** Files in the data directory of a release that later releases must be able to open. */
export const storeFiles = ['events.db', 'state.db', 'read-models.db', 'master.key'] as const;

/** Opens the data directory of a release, with the other stores empty, and runs a projector on it. */
export const openRelease = async (directory: string) => {
  const file = (name: (typeof storeFiles)[number]) => join(directory, name);
  // Creates the key first, because no key is created in a directory that may hold data encrypted with another one.
  const ring = keyRingIn(directory);
  const others = await openStores();
  const [events, state] = [await sqliteEventStore(file('events.db')), await sqliteState(file('state.db'))];
  const readModels = await sqliteReadModels(file('read-models.db'), projections);
  const notary = await openNotary({ events, state }, ring);
  const stores = { ...others, events, state, readModels, vault: openVault };
  const app = composeApp(stores, { notary, transactionCodecs: evmEverywhere });
  const stop = new AbortController();
  const projecting = app.projector.run(stop.signal);
  return {
    app,
    events,
    state,
    readModels,
    notary,
    /** Waits until the read models include every event. */
    caughtUp: async () => app.progress.reached(await events.head(), 30_000),
    close: async () => {
      stop.abort();
      await projecting;
      await Promise.all([events, state, readModels, others].map((one) => one.close()));
    },
  };
};

export type StoredDocument = {
  readonly name: string;
  /** Version of the projection that made the document. */
  readonly version: number;
  readonly scope: string;
  readonly id: string;
  readonly document: object;
};

/** Reads every document of every projection, in a stable order. */
export const documentsOf = async ({ readModels }: Pick<Awaited<ReturnType<typeof openRelease>>, 'readModels'>) => {
  const found: StoredDocument[] = [];
  for (const projection of projections) {
    const { name, version } = projection;
    for await (const { scope, id, document } of walk(readModels, projection))
      found.push({ name, version, scope, id, document });
  }
  const keyOf = ({ name, scope, id }: StoredDocument) => [name, scope, id].join(' ');
  return found.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

/** Lists the organizations whose creation the store holds, in the order of their creation. */
export const organizationsIn = async (events: EventStore) => {
  const found: string[] = [];
  for await (const batch of events.readAll(0))
    for (const { type, data } of batch)
      if (type === 'OrganizationCreated') found.push(Reflect.get(data, 'organizationId'));
  return found;
};
