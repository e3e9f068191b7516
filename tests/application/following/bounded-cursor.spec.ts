import assert from 'node:assert/strict';
import { maxHeaders } from '../../../application/following/cursor.js';
import { eventually } from '../../support/eventually.js';
import { openStores, startFollowing } from '../../support/following/following.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';
import { movedClock } from '../../support/moved-clock.js';

describe('a follower that cannot settle', () => {
  it('reads no more blocks than its cursor can hold headers for, and continues once it settles', async () => {
    const stores = await openStores();
    const settlement: { fails: boolean } = { fails: false };
    const script = {
      headers: headersOf('a', 1),
      finalized: () => {
        if (settlement.fails) throw new Error('nothing is settled');
        return 0;
      },
    };
    const { system } = movedClock(1_700_000_000_000);
    const { app, stop } = startFollowing(stores, headerChain(script), { system });
    const height = () => app.followers[0]?.status()?.height ?? 0;
    try {
      await eventually(async () => assert.equal(app.followers[0]?.status()?.height, 0));
      settlement.fails = true;
      script.headers = headersOf('a', maxHeaders + 300);
      await eventually(async () => assert.equal(height(), maxHeaders - 1));
      await eventually(async () => assert.match(app.followers[0]?.alarm() ?? '', /nothing is settled/));
      assert.equal(height(), maxHeaders - 1);
      settlement.fails = false;
      await eventually(async () => assert.equal(height(), maxHeaders + 299));
    } finally {
      await stop();
      await stores.close();
    }
  });
});
