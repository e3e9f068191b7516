import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { sqliteFinalAnswers } from '../../../infrastructure/sqlite/final-answers/final-answers.js';
import { sqliteJobs } from '../../../infrastructure/sqlite/jobs/jobs.js';
import { sqliteLimiter } from '../../../infrastructure/sqlite/limiter/limiter.js';
import { sqlitePending } from '../../../infrastructure/sqlite/pending.js';
import { selfHealingReadModels } from '../../../infrastructure/sqlite/read-models/self-healing-read-models.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { buildProgram } from '../../support/run/builder.js';
import { freshDirectory } from '../../support/run/directories.js';
import { silent } from '../../support/silent.js';

const threads = 3;

const stores: Readonly<Record<string, (path: string) => Promise<{ close(): Promise<void> }>>> = {
  'the event store': (path) => sqliteEventStore(path),
  'the final answers': (path) => sqliteFinalAnswers(path, 1000),
  'the jobs': (path) => sqliteJobs(path),
  'the limiter': (path) => sqliteLimiter(path, Date.now),
  'the pending transactions': (path) => sqlitePending(path),
  'the read models': (path) => selfHealingReadModels(path, [], silent),
  'the state': (path) => sqliteState(path),
};

describe('a new SQLite database', () => {
  const programs = { opening: '', lock: '' };
  before(async () => {
    programs.opening = await buildProgram('tests/support/threads/opening-thread.ts');
    programs.lock = await buildProgram('tests/support/threads/lock-holder.ts');
  });

  it('can be opened concurrently, as by processes that start together', async () => {
    const turns = new Int32Array(new SharedArrayBuffer(4 * 100));
    const workerData = { turns, threads, directory: freshDirectory() };
    const opening = Array.from({ length: threads }, () => new Worker(pathToFileURL(programs.opening), { workerData }));
    const found = (await Promise.all(opening.map((one) => once(one, 'message')))) as [string[]][];
    assert.deepEqual(found.flat(2), []);
  });

  for (const [name, open] of Object.entries(stores))
    it(`for ${name} waits until another process has created it`, async () => {
      const path = join(freshDirectory(), 'new.db');
      const holder = new Worker(pathToFileURL(programs.lock), { workerData: path });
      await once(holder, 'message');
      const ended = once(holder, 'exit');
      await (await open(path)).close();
      await ended;
    });
});
