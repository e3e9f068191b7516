import assert from 'node:assert/strict';
import { createNotifier } from '../../../../application/following/notify.js';
import { type Ledger, type LedgerCommand, type LedgerEvent, ledger } from '../../../../domain/aggregates/ledger.js';
import { decide, fold, type Message } from '../../../../domain/decider.js';
import { findVariant } from '../../../../domain/variant.js';
import { testSystem } from '../../../support/silent.js';

const block = { number: 5, hash: '0xb5', time: 1, chain: '0xb0' };
const of = { walletId: 'wal_1', block };
const activity = { organizationId: 'org_a', walletId: 'wal_1', block };
const transfer = {
  transaction: '0x1',
  index: 'native',
  asset: { standard: 'native' as const },
  from: '0xaa',
  to: '0xbb',
  value: '1',
  fee: '1',
  failed: false,
  details: {},
};
const commands = {
  observe: { type: 'Observe', data: { ...of, transfers: [{ transfer, own: ['0xbb'] }], touches: [] } },
  confirm: { type: 'Confirm', data: { ...of, open: true } },
  drop: { type: 'Drop', data: { ...of, notified: true } },
} satisfies Record<string, LedgerCommand>;
type Step = keyof typeof commands;
const ledgerAfter = (...steps: readonly Step[]): Ledger => {
  const past: LedgerEvent[] = [];
  for (const one of steps) past.push(...decide(ledger, fold(ledger, past), commands[one]));
  return fold(ledger, past);
};

type Notice = { readonly deliveryId: string; readonly data: { readonly state: string } };

/**
 * Creates a notifier with one webhook. `scene.atRequest` is called each time before requested deliveries are stored.
 */
const openNotifier = (first: Ledger) => {
  const notices = new Map<string, Notice>();
  const scene = { ledger: first, atRequest: () => {} };
  const ports = {
    events: {
      read: async (stream: string) => {
        const found = [...notices.values()].find(({ deliveryId }) => stream.endsWith(deliveryId));
        return { events: found ? [{ data: found as unknown as Message }] : [], revision: found ? 0 : -1 };
      },
    },
    readModels: { get: async () => null },
    ledgers: { read: async () => scene.ledger },
    watched: { listeners: () => [{ webhookId: 'whk_1', walletId: '', confirmation: 1 }] },
    deliveries: {
      request: async (_: object, __: object, some: readonly Notice[]) => {
        scene.atRequest();
        for (const one of some) notices.set(one.deliveryId, one);
        return true;
      },
    },
    descriptions: async () => () => undefined,
    system: testSystem,
  };
  const notifier = createNotifier(ports as never, findVariant('C') ?? assert.fail('no variant C'));
  return { scene, notifier, states: () => [...notices.values()].map(({ data }) => data.state) };
};

describe('notifications of a block that was dropped meanwhile', () => {
  for (const phase of ['pending', 'open'] as const)
    it(`are not requested for an activity that is still indexed as ${phase}`, async () => {
      const { notifier, states } = openNotifier(ledgerAfter('observe', 'confirm', 'drop'));
      assert.equal((await notifier.notify({ ...activity, phase }, 9, phase === 'open')).left, 'outdated');
      assert.deepEqual(states(), []);
    });
  it('are not requested as confirmed when the block came back and is not confirmed yet', async () => {
    const { notifier, states } = openNotifier(ledgerAfter('observe', 'confirm', 'drop', 'observe'));
    assert.equal((await notifier.notify({ ...activity, phase: 'open' }, 9, true)).left, 'outdated');
    assert.deepEqual(states(), []);
  });
  it('are requested again as pending when the block came back', async () => {
    const { notifier, states } = openNotifier(ledgerAfter('observe', 'drop', 'observe'));
    await notifier.notify({ ...activity, phase: 'pending' }, 9, false);
    assert.deepEqual(states(), ['TRANSFER_STATE_PENDING']);
  });
  it('are retracted when the block was dropped while they were requested', async () => {
    const { scene, notifier, states } = openNotifier(ledgerAfter('observe'));
    // Another process drops the block and retracts the notifications known to it, while this process is suspended here.
    scene.atRequest = () => {
      scene.ledger = ledgerAfter('observe', 'drop');
    };
    assert.equal((await notifier.notify({ ...activity, phase: 'pending' }, 9, false)).left, 'outdated');
    assert.deepEqual(states(), ['TRANSFER_STATE_PENDING', 'TRANSFER_STATE_REMOVED']);
  });
});
