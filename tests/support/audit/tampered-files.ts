import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { createAudit } from '../../../application/audit/audit.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { Notary } from '../../../application/ports/notary.js';
import { noEntry, type StateStore } from '../../../application/ports/state.js';
import { createPageTokens } from '../../../application/read-models/page-tokens.js';
import { openNotary } from '../../../infrastructure/keys/audit-key.js';
import type { KeyRing } from '../../../infrastructure/keys/master-key.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { freshDirectory } from '../run/directories.js';
import { appendEvents, manualSystem, notary, sealAll } from './sealed-history.js';

/**
 * Event store and process state in files, which somebody with access to the disk writes to while no service runs. With
 * `ring` the audit key is the one in the vault of the files, otherwise a fixed one.
 */
export const openFiles = async (copyOf?: string, ring?: KeyRing) => {
  const directory = freshDirectory();
  if (copyOf !== undefined) cpSync(copyOf, directory, { recursive: true });
  const path = (name: string) => join(directory, name);
  const open = async () => {
    const [events, state] = [await sqliteEventStore(path('events.db')), await sqliteState(path('state.db'))];
    return { events, state, notary: ring ? await openNotary({ events, state }, ring) : notary };
  };
  let stores: { events: EventStore; state: StateStore; notary: Notary } = await open();
  const close = () => Promise.all([stores.events.close(), stores.state.close()]);
  const put = async (id: string, value: string) => {
    const { revision = noEntry } = (await stores.state.get('processes', id)) ?? {};
    await stores.state.put('processes', id, value, revision);
  };
  const audit = () => {
    const { events } = stores;
    const system = manualSystem();
    const handle = createHandle(events, system);
    return createAudit({ ...stores, stored: events, handle, system, pageTokens: createPageTokens(system) });
  };
  return {
    stores: () => stores,
    directory,
    close,
    audit,
    /** Runs SQL on the events directly, which no service does. */
    tamper: async (...statements: readonly string[]) => {
      await close();
      const db = new DatabaseSync(path('events.db'));
      for (const one of statements) db.exec(one);
      db.close();
      stores = await open();
    },
    reopen: async () => {
      stores = await open();
    },
    append: (organizationId: string, count: number, from: number) =>
      appendEvents(stores.events, organizationId, count, from),
    /** Runs sealers several times over everything, so that the seals of earlier turns are included. */
    seal: async (system = manualSystem(), turns = 3) => {
      for (let n = 0; n < turns; n++) await sealAll(stores, system);
    },
    put,
    /** Replaces what the sealer remembers of an organization; null removes it. */
    remember: (organizationId: string, value: string | null) => {
      const id = `audit-chain:${organizationId}`;
      return value === null ? stores.state.destroy('processes', id) : put(id, value);
    },
    memoryOf: async (organizationId: string) =>
      (await stores.state.get('processes', `audit-chain:${organizationId}`))?.value ?? '',
    flawOf: async (organizationId: string) => (await audit().verify(organizationId)).flaw,
  };
};
export type Files = Awaited<ReturnType<typeof openFiles>>;
