import assert from 'node:assert/strict';
import { buildIfStale } from './builder.js';
import { madeDirectories } from './directories.js';
import { closeEngines } from './open-engines.js';
import { findLeaks, forgetProducts, keepAllContents, readableKeepers } from './secrets.js';

/** Services, commands and the threads of stores run compiled code, whichever specs are chosen. */
export const mochaGlobalSetup = () => buildIfStale();

const searched = new Set<string>();

/** Whatever a file of tests made is searched for secrets when its tests have ended. */
export const mochaHooks = {
  async afterAll(this: Mocha.Context) {
    this.timeout(300_000);
    await keepAllContents();
    await closeEngines();
    const fresh = madeDirectories().filter((directory) => !searched.has(directory));
    for (const directory of fresh) searched.add(directory);
    assert.deepEqual(findLeaks(fresh), []);
    assert.deepEqual(readableKeepers(), []);
    forgetProducts();
  },
};
