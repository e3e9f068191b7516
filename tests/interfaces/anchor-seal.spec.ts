import assert from 'node:assert/strict';
import { anchoredIn } from '../../application/audit/log/anchor.js';
import { anchorSeal } from '../../interfaces/operations/transactions.js';
import { contextOf } from '../support/following/following.js';

describe('AnchorSeal', () => {
  it('prepares a zero-value transaction from the address to itself whose data is the head of the log', async () => {
    const head = { size: 300, root: 'ab'.repeat(32), time: '', keyId: '', signature: '' };
    let created: Record<string, unknown> = {};
    const app = {
      logProofs: { head: async () => head },
      transactionCreation: {
        create: async (_: unknown, wanted: typeof created) => {
          created = wanted;
          return { answer: {}, position: 1 };
        },
      },
    };
    const by = { ...contextOf('org_a'), role: 'client' } as const;
    await anchorSeal.handle(app as never, { wallet_id: 'wal_1', from: '0xaa' }, by);
    const { walletId, from, to, value, data } = created;
    assert.deepEqual([walletId, from, to, value], ['wal_1', '0xaa', '0xaa', '0']);
    assert.equal(data, `0x636861696e666f6c642d6c6f672d31${'ab'.repeat(32)}000000000000012c`);
    assert.deepEqual(anchoredIn(String(data)), { size: 300, root: head.root });
  });
});
