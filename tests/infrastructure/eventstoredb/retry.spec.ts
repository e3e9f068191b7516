import assert from 'node:assert/strict';
import { retrying } from '../../../infrastructure/eventstoredb/retry.js';
import { testSystem } from '../../support/silent.js';

describe('a call of EventStoreDB', () => {
  it('is tried once more when its first try used up the time, as after a process stood still', async () => {
    let tries = 0;
    const work = async () => {
      if (tries++ > 0) return 'done';
      await testSystem.sleep(4600);
      throw new Error('too late');
    };
    assert.equal(await retrying({ isFinal: () => false }, work), 'done');
  });
});
