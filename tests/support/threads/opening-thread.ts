import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../../infrastructure/sqlite/database.js';

/**
 * Arguments of this thread, which opens new databases at the same moments as the other threads, and posts its errors.
 */
type Given = { readonly turns: Int32Array; readonly threads: number; readonly directory: string };

const { turns, threads, directory } = workerData as Given;
const errors: string[] = [];
for (let n = 0; n < turns.length; n++) {
  Atomics.add(turns, n, 1);
  while (Atomics.load(turns, n) < threads);
  try {
    openDatabase(join(directory, `${n}.db`), 'relaxed').close();
  } catch (error) {
    errors.push(String(error));
  }
}
parentPort?.postMessage(errors);
