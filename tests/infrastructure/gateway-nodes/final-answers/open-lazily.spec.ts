import assert from 'node:assert/strict';
import type { FinalAnswers } from '../../../../application/ports/gateway/final-answers.js';
import { openLazily } from '../../../../infrastructure/gateway-nodes/final-answers/open-lazily.js';

describe('a cache of final answers that is opened lazily', () => {
  const found = [Buffer.from('1')];
  let closed = 0;
  const real: FinalAnswers = {
    find: async () => found,
    keep: async () => undefined,
    close: async () => {
      closed++;
    },
  };

  it('is opened once, when it is first used, and closed only if it was opened', async () => {
    let opened = 0;
    const open = async () => {
      opened++;
      return real;
    };
    const store = openLazily(open);
    await store.close();
    assert.deepEqual([opened, closed], [0, 0]);
    await Promise.all([store.find('', ['']), store.keep('', [])]);
    assert.equal(await store.find('', ['']), found);
    await store.close();
    assert.deepEqual([opened, closed], [1, 1]);
  });

  it('rejects while it cannot be opened, and is retried after a minute', async () => {
    let now = 0;
    let tries = 0;
    const open = async () => {
      if (++tries === 1) throw new Error('no room');
      return real;
    };
    const store = openLazily(open, () => now);
    await assert.rejects(store.find('', ['']), /no room/);
    await assert.rejects(store.find('', ['']), /could not be opened/);
    assert.equal(tries, 1);
    now = 60_000;
    assert.equal(await store.find('', ['']), found);
  });
});
