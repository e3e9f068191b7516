import type { NewEvent, StreamWrite } from '../../application/ports/event-store.js';
import { noStream } from '../../application/ports/event-store.js';
import { inTransaction, openDatabase } from '../../infrastructure/sqlite/database.js';
import { testSystem } from '../../tests/support/silent.js';

const organizationId = `org_${'0'.repeat(32)}`;
let serial = 0;

export const data = () => ({ walletId: `wal_${serial}`, name: 'measured', confirmation: 10 });

/** Builds a write of one event to a new stream. */
export const write = (): StreamWrite => {
  const id = `wal_${String(++serial).padStart(32, '0')}`;
  const event: NewEvent = {
    type: 'WalletRegistered',
    data: data(),
    id: testSystem.uuid(),
    metadata: {
      organizationId,
      variant: 'C',
      actor: { kind: 'operator', id: 'bench' },
      requestId: 'bench',
      causationId: 'bench',
      correlationId: 'bench',
      occurredAt: new Date().toISOString(),
    },
  };
  return { stream: `${organizationId}.wallet-C.${id}`, expected: noStream, events: [event] };
};

const schema = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, organization TEXT NOT NULL,
    id TEXT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL, time INTEGER NOT NULL,
    remaining INTEGER NOT NULL);
  CREATE UNIQUE INDEX by_stream ON events (stream, revision);
  CREATE INDEX by_organization ON events (organization, position);
  CREATE TABLE documents (scope TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, position INTEGER, PRIMARY KEY (scope, id));
  CREATE INDEX by_position ON documents (scope, position, id);`;

/** Opens a plain SQLite database, to write the same rows durably without the event store. */
export const bareDatabase = (path: string) => {
  const db = openDatabase(path, 'durable');
  db.exec(schema);
  const insert = db.prepare('INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const document = db.prepare('INSERT INTO documents VALUES (?, ?, ?, ?)');
  const putEvent = ({ stream, events: [event] }: StreamWrite) => {
    if (!event) return;
    const texts = [event.id, event.type, JSON.stringify(event.data), JSON.stringify(event.metadata)];
    insert.run(stream, 0, organizationId, ...texts, Date.now(), 0);
  };
  return {
    /** Writes all events in one transaction, each with a document if `withDocuments` is true. */
    commit: (writes: readonly StreamWrite[], withDocuments = false) =>
      inTransaction(db, () => {
        for (const one of writes) {
          putEvent(one);
          if (withDocuments) document.run(organizationId, one.stream, JSON.stringify(one.events[0]?.data), serial);
        }
      }),
    close: () => db.close(),
  };
};
