import assert from 'node:assert/strict';
import { eventually } from '../../../support/eventually.js';
import { openStores, startFollowing } from '../../../support/following/following.js';
import { forkOf, headerChain, headersOf } from '../../../support/following/header-chain.js';
import { testSystem } from '../../../support/silent.js';

describe('a block that is replaced while a follower reads it', () => {
  it('does not count as final, however far the chain has moved on when its turn ends', async () => {
    const stores = await openStores();
    const script = { headers: headersOf('a', 15) };
    const chain = headerChain(script);
    const block: typeof chain.block = async (hash, interest) => {
      const found = await chain.block(hash, interest);
      if (hash === 'a19') script.headers = forkOf(headersOf('a', 20), 15, 'b', 40);
      return found;
    };
    const errors: string[] = [];
    const log = { ...testSystem.log, error: (_: object, message: string) => void errors.push(message) };
    const system = { ...testSystem, log };
    const { app, stop } = startFollowing(stores, { ...chain, block }, { system });
    const height = () => app.followers[0]?.status()?.height;
    try {
      await eventually(async () => assert.equal(height(), 14));
      script.headers = headersOf('a', 20);
      await eventually(async () => assert.equal(height(), 55));
      assert.deepEqual(errors, []);
    } finally {
      await stop();
      await stores.close();
    }
  });
});
