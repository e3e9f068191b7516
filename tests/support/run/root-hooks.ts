import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import fc from 'fast-check';
import { buildIfStale } from './builder.js';
import { removeDirectories } from './directories.js';
import { closeEngines } from './open-engines.js';
import { report } from './report.js';
import { findLeaks, forgetProducts, keepAllContents, readableKeepers } from './secrets.js';
import { seed } from './seed.js';
import { openSweeps, type Sweep } from './sweep.js';
import { noteTest } from './test-end.js';

// fast-check has one configuration for modules that import it and another one for modules that require it.
for (const { configureGlobal } of [fc, createRequire(import.meta.url)('fast-check') as typeof fc])
  configureGlobal({ seed });

let sweeps: readonly Sweep[] = [];

/** Compiles the service before all tests, because services, commands and the threads of stores run compiled code. */
export const mochaGlobalSetup = async () => {
  await buildIfStale();
  sweeps = await openSweeps();
  for (const { version } of sweeps) report(`server: ${version}`);
  const { CHAINFOLD_TEST_LEFT_OUT: leftOut } = process.env;
  if (leftOut) report(`left to npm run test:full: ${leftOut}`);
  report(`seed of all random choices: ${seed} (CHAINFOLD_SEED)`);
};

/** Removes all data of this run from shared servers. */
export const mochaGlobalTeardown = async () => {
  for (const { sweep } of sweeps) await sweep();
};

export const mochaHooks = {
  beforeEach(this: Mocha.Context) {
    noteTest(this.currentTest ?? null);
    // Shows which test file a process runs, in `ps` and in the report of the gate (.ci/gate.js) about a run that does
    // not end.
    process.title = relative(process.cwd(), this.currentTest?.file ?? 'mocha');
  },
  afterEach() {
    noteTest(null);
  },
  /** Searches the output of a test file (logs, answers and files) for secrets, and then discards the output. */
  async afterAll(this: Mocha.Context) {
    this.timeout(300_000);
    await keepAllContents();
    await closeEngines();
    try {
      assert.deepEqual(findLeaks(), []);
      assert.deepEqual(readableKeepers(), []);
    } finally {
      // A leak fails the file that caused it and none of the files after it.
      forgetProducts();
      removeDirectories();
    }
  },
};
