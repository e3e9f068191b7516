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
 * Opens an event store and process state in files, which a test can change like an attacker with access to the disk. If
 * `copyOf` is given, the files are copied from that folder. If `ring` is given, the audit key is read from the vault in
 * the files; if not, a fixed test key is used.
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
    /** Runs SQL on the file of the event store, as an attacker would while no service runs. */
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
    /** Runs a sealer `turns` times, so that later turns also read the seals that earlier turns appended. */
    seal: async (system = manualSystem(), turns = 3) => {
      for (let n = 0; n < turns; n++) await sealAll(stores, system);
    },
    put,
    /** Replaces the sealer's saved progress for an organization; if `value` is null, removes the progress. */
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
