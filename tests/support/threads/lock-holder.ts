import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';

/**
 * Time in ms for which this thread holds an exclusive lock, as a process does while it creates tables. The time is
 * longer than a store that is in service waits for a lock.
 */
const heldMs = 600;

const db = new DatabaseSync(workerData as string);
db.exec('BEGIN EXCLUSIVE');
parentPort?.postMessage('locked');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, heldMs);
db.exec('COMMIT');
db.close();
