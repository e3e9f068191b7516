import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';
import { noEntry } from '../../../application/ports/state.js';
import { StoreDown } from '../../../domain/failure.js';
import { type Deadlines, deadlinesWithin } from '../../../infrastructure/deadlines.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { sqliteLimiter } from '../../../infrastructure/sqlite/limiter/limiter.js';
import { sqlitePending } from '../../../infrastructure/sqlite/pending.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { event, write } from '../../support/engines/counted-events.js';
import { buildProgram } from '../../support/run/builder.js';
import { freshDirectory } from '../../support/run/directories.js';

type Written = { write(): Promise<unknown>; close(): Promise<void> };

const pending = { hash: '0x1', from: '0x2', nonce: 1n, firstSeen: 1, fields: {} };

const stores: Readonly<Record<string, (path: string, deadlines: Deadlines) => Promise<Written>>> = {
  'Event store': async (path, deadlines) => {
    const store = await sqliteEventStore(path, 'write', deadlines);
    // A write may still be stored after its deadline has passed. The event id identifies the write when it is repeated.
    const one = event(1);
    return { write: () => store.append([write('org.thing-1', [one])]), close: store.close };
  },
  Limiter: async (path, deadlines) => {
    const store = await sqliteLimiter(path, Date.now, deadlines);
    return { write: () => store.claimIdempotencyKey('key', 'one', 'request'), close: store.close };
  },
  'Store of pending transactions': async (path, deadlines) => {
    const store = await sqlitePending(path, deadlines);
    return { write: () => store.add([pending]), close: store.close };
  },
  'State store': async (path, deadlines) => {
    const store = await sqliteState(path, 'write', deadlines);
    return { write: () => store.put('vault', 'id', 'value', noEntry), close: store.close };
  },
};

describe('a SQLite database locked by another process', () => {
  let program = '';
  before(async () => {
    program = await buildProgram('tests/support/threads/lock-holder.ts');
  });

  for (const [name, open] of Object.entries(stores)) {
    it(`delays a write without an error: ${name}`, async () => {
      const path = join(freshDirectory(), 'locked.db');
      const store = await open(path, deadlinesWithin(60_000));
      const holder = new Worker(pathToFileURL(program), { workerData: path });
      const ended = once(holder, 'exit');
      await once(holder, 'message');
      await store.write();
      await ended;
      await store.close();
    });

    it(`fails a write at the deadline, and accepts writes once the lock is released: ${name}`, async () => {
      const path = join(freshDirectory(), 'locked.db');
      const store = await open(path, deadlinesWithin(1000));
      const holder = new DatabaseSync(path);
      holder.exec('BEGIN IMMEDIATE');
      const message = new RegExp(`^${name} unavailable \\(timed out after 0\\.[89] s\\)\\. Retry later\\.$`);
      await assert.rejects(store.write(), (error) => error instanceof StoreDown && message.test(error.message));
      holder.exec('ROLLBACK');
      holder.close();
      await store.write();
      await store.close();
    });
  }
});
