import assert from 'node:assert/strict';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { buildProgram } from '../../support/run/builder.js';
import { freshDirectory } from '../../support/run/directories.js';

const threads = 2;

describe('a new database of SQLite', () => {
  it('can be opened by two at the same moment, as by processes that start together', async () => {
    const program = pathToFileURL(await buildProgram('tests/support/engines/opening-thread.ts'));
    const turns = new Int32Array(new SharedArrayBuffer(4 * 100));
    const workerData = { turns, threads, directory: freshDirectory() };
    const opening = Array.from({ length: threads }, () => new Worker(program, { workerData }));
    const found = (await Promise.all(opening.map((one) => once(one, 'message')))) as [string[]][];
    assert.deepEqual(found.flat(2), []);
  });
});
