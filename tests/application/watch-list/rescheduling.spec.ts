import assert from 'node:assert/strict';
import { createActivityTasks, type KnownHeaders } from '../../../application/following/activity-tasks.js';
import type { Recorded } from '../../../application/ports/event-store.js';
import { createWatchIndex } from '../../../application/watch-list/watch-index.js';
import type { WatchList } from '../../../application/watch-list/watch-list.js';
import { countScans } from '../../support/array-scans.js';
import { followedVariant } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const [activities, webhooks, maxPerTurn] = [3000, 200, 1000];
const headerOf = (number: number) => ({ number, hash: `0x${number}`, parentHash: `0x${number - 1}`, time: number });
const knownAt = (number: number): KnownHeaders => ({ chain: '0x0', headers: [headerOf(0), headerOf(number)] });

/** Watches transfers in block 1 to many wallets, with webhooks that are notified at 100 confirmations. */
const watchMany = () => {
  const index = createWatchIndex(followedVariant.tag, 1);
  let turns = 0;
  const breathe = async () => void turns++;
  const tasks = createActivityTasks(index as unknown as WatchList, followedVariant, { ...testSystem, breathe });
  const metadata = { organizationId: 'org_a', variant: followedVariant.tag };
  const apply = (type: string, data: object) => index.apply({ type, data, metadata } as Recorded);
  const listen = (webhookId: string, confirmation: number) => apply('WebhookRegistered', { webhookId, confirmation });
  for (let n = 0; n < webhooks; n++) listen(`whk_${n}`, 100);
  for (let n = 0; n < activities; n++)
    apply('TransferObserved', { walletId: `wal_${n}`, block: { ...headerOf(1), chain: '0x0' } });
  const ignore = (webhookId: string) => apply('WebhookRemoved', { webhookId });
  const reschedule = async () => {
    turns = 0;
    await tasks.scheduleChanged();
    return turns;
  };
  return { tasks, listen, ignore, reschedule };
};

describe('many activities, after a change of the webhooks of their organization,', () => {
  it('are scheduled again in bounded turns, without visiting each webhook for each of them', async () => {
    const { listen, reschedule } = watchMany();
    await reschedule();
    let turns = 0;
    const scanned = await countScans(async () => {
      listen('whk_last', 100);
      turns = await reschedule();
    });
    assert.ok(scanned < 50 * activities, `${scanned} elements were passed over`);
    assert.ok(turns >= activities / maxPerTurn, `${activities} activities were scheduled in ${turns} turns`);
  });

  it('are marked once for many changes', async () => {
    const { listen, reschedule } = watchMany();
    await reschedule();
    const scanned = await countScans(() => {
      for (let n = 0; n < 1000; n++) listen(`whk_more_${n}`, 100);
    });
    assert.ok(scanned < 50 * activities, `${scanned} elements were passed over`);
  });

  it('are scheduled once each, however often the webhooks change', async () => {
    const { tasks, listen, ignore, reschedule } = watchMany();
    await reschedule();
    for (let n = 0; n < 30; n++) {
      listen('whk_other', 90 + (n % 2));
      await reschedule();
      ignore('whk_other');
      await reschedule();
    }
    assert.deepEqual(tasks.toNotify(knownAt(89)), []);
    let due = 0;
    const scanned = await countScans(() => {
      due = tasks.toNotify(knownAt(100)).length;
    });
    assert.equal(due, activities);
    assert.ok(scanned < 50 * activities, `${scanned} elements were passed over`);
  });

  it('are notified of the earliest webhook that is due, and then of deeper ones', async () => {
    const { tasks, listen, reschedule } = watchMany();
    await reschedule();
    listen('whk_early', 3);
    await reschedule();
    const [first, ...others] = tasks.toNotify(knownAt(3));
    assert.ok(first);
    assert.equal(others.length, activities - 1);
    tasks.scheduleNotification(first, 3);
    assert.deepEqual(tasks.toNotify(knownAt(99)), []);
    assert.deepEqual(tasks.toNotify(knownAt(100)), [first]);
  });
});
