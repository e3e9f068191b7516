import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';

/** Locks a new database, as a process does that creates its tables, for longer than a store waits while it serves. */
const heldMs = 600;

const db = new DatabaseSync(workerData as string);
db.exec('BEGIN EXCLUSIVE');
parentPort?.postMessage('locked');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, heldMs);
db.exec('COMMIT');
db.close();
