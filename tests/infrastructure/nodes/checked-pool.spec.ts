import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createPool } from '../../../infrastructure/nodes/checked-pool.js';
import { silent } from '../../support/silent.js';

describe('a pool of checked nodes', () => {
  it('leaves no listener behind when its nodes are polled', async () => {
    const configured = ['first', 'second'].map((name) => ({ name, endpoint: name, redact: (text: string) => text }));
    const pool = createPool(configured, silent, {
      deadlineMs: 10_000,
      timeoutMs: 10_000,
      open: (endpoint: string) => endpoint,
      identify: async () => 'one chain',
      close: async () => undefined,
    });
    for (let i = 0; i < 20; i++) assert.deepEqual(await pool.poll(async (node) => node), ['first', 'second']);
    assert.equal(getEventListeners(pool.closed, 'abort').length, 0);
    await pool.close();
  });
});
