import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noStream } from '../../../application/ports/event-store.js';
import { openDatabase } from '../../../infrastructure/sqlite/database.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { organizationCreated } from '../../support/histories/events.js';
import { createRandom } from '../../support/random.js';
import { freshDirectory } from '../../support/run/directories.js';
import { sized } from '../../support/run/tier.js';

const walHeader = 32;
const appends = 6;
const perAppend = 3;
const cuts = sized(60, 200);

/** Saves the files of a store as a power cut leaves them: all appends acknowledged, and the store not closed. */
const interrupted = async () => {
  const directory = freshDirectory();
  const store = await sqliteEventStore(join(directory, 'events.db'));
  const ends: number[] = [];
  for (let n = 0; n < appends; n++) {
    const { events, stream } = organizationCreated(`domain-${n}`);
    const more = Array.from({ length: perAppend }, () => ({ ...events[0], id: crypto.randomUUID() }));
    await store.append([{ stream, expected: noStream, events: more as never }]);
    ends.push(readFileSync(join(directory, 'events.db-wal')).length);
  }
  const saved = freshDirectory();
  for (const name of ['events.db', 'events.db-wal']) cpSync(join(directory, name), join(saved, name));
  await store.close();
  return { saved, ends };
};

/** Counts the events of a store that is opened on the changed files. */
const recovered = (saved: string, change: (log: string) => void) => {
  const directory = freshDirectory();
  for (const name of ['events.db', 'events.db-wal']) cpSync(join(saved, name), join(directory, name));
  change(join(directory, 'events.db-wal'));
  const db = openDatabase(join(directory, 'events.db'), 'durable');
  const tables = db.prepare("SELECT count(*) AS count FROM sqlite_schema WHERE name = 'events'").get();
  const rows =
    (tables as { count: number }).count === 0
      ? []
      : (db.prepare('SELECT position FROM events ORDER BY position').all() as { position: number }[]);
  const { integrity_check } = db.prepare('PRAGMA integrity_check').get() as { integrity_check: string };
  db.close();
  rmSync(directory, { recursive: true });
  assert.equal(integrity_check, 'ok');
  assert.deepEqual(
    rows.map(({ position }) => position),
    rows.map((_, i) => i + 1),
  );
  return rows.length;
};

describe('the log of the embedded event store after a power cut', () => {
  const random = createRandom(1, 'torn log');
  let saved: string;
  let ends: number[];
  before(async () => {
    ({ saved, ends } = await interrupted());
  });
  /** Counts the events of the appends that end within the first `bytes` bytes of the log. */
  const whole = (bytes: number) => ends.filter((end) => end <= bytes).length * perAppend;

  it('contains every complete append and no part of a torn one, wherever it was cut', () => {
    assert.equal(
      recovered(saved, () => undefined),
      appends * perAppend,
    );
    const last = ends.at(-1) as number;
    const lengths = [...ends, ...ends.map((end) => end - 1), walHeader, 0];
    while (lengths.length < cuts) lengths.push(random.between(0, last));
    for (const length of lengths) {
      const found = recovered(saved, (log) => truncateSync(log, length));
      assert.equal(found, whole(length), `cut at ${length} of ${last}`);
    }
  });

  it('contains no part of an append with a flipped bit, and all appends before it', () => {
    const [before, last] = ends.slice(-2) as [number, number];
    for (let n = 0; n < cuts; n++) {
      const at = random.between(before, last - 1);
      const found = recovered(saved, (log) => {
        const bytes = readFileSync(log);
        bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
        writeFileSync(log, bytes);
      });
      assert.equal(found, (appends - 1) * perAppend, `flipped at ${at}`);
    }
  });
});
