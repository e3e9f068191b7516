import assert from 'node:assert/strict';
import { createNotifier } from '../../../../application/following/notify.js';
import type { Listener } from '../../../../application/watch-list/webhook-listeners.js';
import { ledger } from '../../../../domain/aggregates/ledger.js';
import { findVariant } from '../../../../domain/variant.js';
import { testSystem } from '../../../support/silent.js';

/** Number of transfers, which is greater than the number of notifications in one piece. */
const count = 40;
const block = { number: 5, hash: '0xb5', time: 1, chain: '0xb0' };
const activity = { organizationId: 'org_a', walletId: 'wal_1', block, phase: 'pending' as const };
const transfers = Array.from({ length: count }, (_, n) => ({
  transfer: {
    transaction: `0x${n}`,
    index: 'native',
    asset: { standard: 'native' as const },
    from: '0xaa',
    to: '0xbb',
    value: '1',
    fee: '1',
    failed: false,
    details: {},
  },
  own: ['0xbb'],
}));
const webhook = (webhookId: string): Listener => ({ webhookId, walletId: '', confirmation: 1 });

/** Notifies until nothing is left, and changes the webhooks after the first piece. Returns the notices by webhook. */
const notifiedWhile = async (before: readonly string[], after: readonly string[]) => {
  let listeners = before.map(webhook);
  const requested = new Map<string, Set<string>>();
  const ports = {
    events: { read: async () => ({ events: [], revision: -1 }) },
    readModels: { get: async () => null },
    ledgers: { read: async () => ({ ...ledger.initial, phase: 'pending', transfers }) },
    watched: { listeners: () => listeners },
    deliveries: {
      request: async (
        _: object,
        { webhook_id }: { webhook_id: string },
        notices: readonly { deliveryId: string }[],
      ) => {
        const known = requested.get(webhook_id) ?? new Set();
        requested.set(webhook_id, new Set([...known, ...notices.map(({ deliveryId }) => deliveryId)]));
      },
    },
    descriptions: async () => () => undefined,
    system: testSystem,
  };
  const notifier = createNotifier(ports as never, findVariant('C') ?? assert.fail('no variant C'));
  assert.equal((await notifier.notify(activity, 1, false)).left, 'more');
  listeners = after.map(webhook);
  while ((await notifier.notify(activity, 1, false)).left === 'more');
  return after.map((webhookId) => requested.get(webhookId)?.size);
};

describe('notifications that take several pieces', () => {
  it('reach every webhook when the webhook that was begun is removed', async () =>
    assert.deepEqual(await notifiedWhile(['whk_1', 'whk_2'], ['whk_2']), [count]));
  it('reach every webhook when an update changes the order of webhooks', async () =>
    assert.deepEqual(await notifiedWhile(['whk_1', 'whk_2'], ['whk_2', 'whk_1']), [count, count]));
  it('reach a webhook that was registered meanwhile', async () =>
    assert.deepEqual(await notifiedWhile(['whk_1'], ['whk_0', 'whk_1']), [count, count]));
});
