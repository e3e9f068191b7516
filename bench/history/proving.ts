import { join } from 'node:path';
import { writeExport } from '../../application/audit/export-file.js';
import { beginning } from '../../application/ports/event-store.js';
import { createNotary } from '../../infrastructure/keys/notary.js';
import { openDatabase } from '../../infrastructure/sqlite/database.js';
import { sqliteEventStore } from '../../infrastructure/sqlite/events/event-store.js';
import { testSystem } from '../../tests/support/silent.js';
import { serveSides } from '../measure/compiled.js';
import { largest } from '../measure/figures.js';
import { perSecond } from '../measure/rounds.js';

const [, , directory = '', organizationId = '', count = ''] = process.argv;
const total = Number(count);
const path = join(directory, 'events.db');
const events = await sqliteEventStore(path);
const notary = createNotary(new Uint8Array(32));
const held: number[] = [];
const half = () => Math.floor(held.length / 2);

const raw = async () => {
  const db = openDatabase(path, 'durable');
  const read = db.prepare(
    'SELECT position, stream, revision, id, type, data, metadata, time FROM events WHERE organization = ? AND position > ? ORDER BY position LIMIT 1000',
  );
  const rate = await perSecond(total, async () => {
    for (let after = 0; ; ) {
      const rows = read.all(organizationId, after) as { position: number }[];
      if (rows.length === 0) break;
      after = rows.at(-1)?.position ?? after;
    }
  });
  db.close();
  return rate;
};

serveSides({
  raw,
  replayed: () =>
    perSecond(total, async () => {
      for await (const batch of events.readOrganization(organizationId, beginning)) if (batch.length === 0) break;
    }),
  exported: () =>
    perSecond(total, async () => {
      const past = events.readOrganization(organizationId, beginning);
      const by = { notary, sha256: testSystem.sha256, time: new Date().toISOString() };
      for await (const piece of writeExport(organizationId, past, by))
        if (piece.length > 0) held.push(process.memoryUsage.rss());
    }),
  firstHalf: async () => largest(held.slice(0, half())),
  secondHalf: async () => largest(held.slice(half())),
});
