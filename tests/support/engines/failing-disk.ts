import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { noStream } from '../../../application/ports/event-store.js';
import { openDatabase } from '../../../infrastructure/sqlite/database.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { startThread } from '../../../infrastructure/sqlite/thread.js';
import { createRandom } from '../random.js';
import { freshDirectory } from '../run/directories.js';
import { event, write } from './counted-events.js';
import { recordedBy, setDiskFault } from './disk-faults.js';

/**
 * Number of events in each append of this program, which is a process of its own, because disk faults affect a whole
 * process.
 */
const perAppend = 3;
/** Event data of 130 kB, so that an append writes many pages and a fault can hit it at many points. */
const heavy = { text: 'x'.repeat(130_000) };
const runs = 120;
const record = process.env.DISK_RECORD as string;

const path = join(freshDirectory(), 'events.db');
const store = await sqliteEventStore(path);
const random = createRandom(1, 'failing disk');
const acknowledged = new Set<string>();
const refused = new Set<string>();
const append = async () => {
  const stream = `org_a.thing-${randomUUID()}`;
  const events = Array.from({ length: perAppend }, (_, n) => event(n, heavy));
  const outcome = await store.append([write(stream, events, noStream)]).then(
    () => acknowledged,
    () => refused,
  );
  outcome.add(stream);
};

const unsynced: string[] = [];
for (let n = 0; n < 20; n++) {
  rmSync(record, { force: true });
  setDiskFault(`record ${record}`);
  await append();
  const done = recordedBy(record);
  setDiskFault('');
  if (!/w/.test(done) || !/^[ws]*s[^w]*$/.test(done)) unsynced.push(done);
}
const unharmed = refused.size;

// The store itself makes a checkpoint only after a thousand committed rows, which this program never reaches.
const checkpointer = await startThread<null, null>('checkpointer', { path });
let failedCheckpoints = 0;
const checkpoint = () =>
  checkpointer.run(null).then(
    () => undefined,
    () => void failedCheckpoints++,
  );
for (let n = 0; n < runs; n++) {
  setDiskFault(n % 2 ? `sync ${random.between(1, 3)}` : `write ${random.between(1, 400)}`);
  await append();
  setDiskFault('');
  if (n % 3 === 0) await append();
  if (n % 4 !== 0) continue;
  setDiskFault(n % 8 ? `sync ${random.between(1, 2)}` : `write ${random.between(1, 200)}`);
  await checkpoint();
  setDiskFault('');
  await append();
  if (n % 12 === 0) await checkpoint();
}
await append();
await checkpointer.close();
await store.close();

const db = openDatabase(path, 'durable');
const { integrity_check } = db.prepare('PRAGMA integrity_check').get() as { integrity_check: string };
const rows = db.prepare('SELECT stream, count(*) AS count FROM events GROUP BY stream').all();
const stored = new Map((rows as { stream: string; count: number }[]).map(({ stream, count }) => [stream, count]));
db.close();
process.stdout.write(
  JSON.stringify({
    unsynced,
    unharmed,
    refused: refused.size,
    acknowledged: acknowledged.size,
    failedCheckpoints,
    lost: [...acknowledged].filter((stream) => stored.get(stream) !== perAppend),
    torn: [...stored].filter(([, count]) => count !== perAppend),
    integrity: integrity_check,
  }),
);
