import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { recordBackup } from '../../../application/maintenance/backup.js';
import { type EventStore, WrongRevision } from '../../../application/ports/event-store.js';
import { measuredAppends } from '../../../application/processes/measured-appends.js';
import type { Measure } from '../../../application/processes/measurements.js';
import { createOldestDelivery } from '../../../application/webhooks/oldest-delivery.js';
import { createMetrics } from '../../../interfaces/server/metrics.js';
import { appendEvents, manualSystem, sealAll, sealOld } from '../../support/audit/sealed-history.js';
import { composeApp, openStores } from '../../support/following/following.js';
import { movedClock } from '../../support/moved-clock.js';

const start = 1_700_000_000_000;
const recorded = () => {
  const found: unknown[] = [];
  const measure: Measure = (...one) => void found.push(one);
  return { found, measure };
};
const sampleOf = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length) ?? Number.NaN,
  );

describe('the measurements of a process', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  const clock = movedClock(start);
  beforeEach(async () => {
    stores = await openStores();
  });
  afterEach(() => stores.close());

  it('include each append with its duration and its outcome', async () => {
    const { found, measure } = recorded();
    const outcomes = [
      async () => 7,
      () => Promise.reject(new WrongRevision('s')),
      () => Promise.reject(new Error('full')),
    ];
    for (const outcome of outcomes) {
      const append = () => {
        clock.pass(2);
        return outcome();
      };
      await measuredAppends({ append } as unknown as EventStore, measure, clock.system)
        .append([])
        .catch(() => undefined);
    }
    assert.deepEqual(
      found,
      ['stored', 'conflict', 'failed'].map((outcome) => ['append', 2, { outcome }]),
    );
  });

  it('include the age of the oldest event that no seal covers', async () => {
    let ahead = 0;
    const system = manualSystem(() => ahead);
    await appendEvents(stores.events, 'org_a', 3);
    await sealAll(stores, system);
    const { found, measure } = recorded();
    ahead = 600_000;
    await sealOld(stores, system, measure);
    ahead = 3_700_000;
    await sealOld(stores, system, measure);
    const ages = (found as [string, number][]).map(([name, seconds]) => [name, Math.round(seconds / 60)]);
    assert.deepEqual(ages, [
      ['unsealed', 10],
      ['unsealed', 0],
    ]);
  });

  it('show for how long the oldest open delivery has been due', async () => {
    const dueFor = (next_at?: number) => {
      const page = async () => ({ documents: next_at === undefined ? [] : [{ next_at }], next: null });
      return createOldestDelivery({ readModels: { page } as never, system: { ...clock.system, now: () => start } })();
    };
    assert.equal(await dueFor(start - 90_000), 90);
    assert.equal(await dueFor(start + 90_000), 0);
    assert.equal(await dueFor(), 0);
  });

  it('show the time of the last backup, and 0 before the first one', async () => {
    const app = composeApp(stores, { system: clock.system });
    const { render } = createMetrics(app, { stuckSeconds: 600 });
    const backedUpAt = async () => sampleOf(await render(), 'chainfold_backup_last_success_timestamp_seconds');
    assert.equal(await backedUpAt(), 0);
    const time = new Date(start).toISOString();
    await recordBackup(stores.state, { time, position: 1, folder: 'backups/1', is_complete: true });
    assert.equal(await backedUpAt(), start / 1000);
  });

  it('show the space of the disk of the data directory, if there is one', async () => {
    const app = composeApp(stores, { system: clock.system });
    const shown = async (dataDirectory: string) => {
      const text = await createMetrics(app, { stuckSeconds: 600, dataDirectory }).render();
      return sampleOf(text, 'chainfold_disk_size_bytes');
    };
    assert.ok((await shown(tmpdir())) > 0);
    assert.ok(Number.isNaN(await shown('no-such-directory')));
  });
});
