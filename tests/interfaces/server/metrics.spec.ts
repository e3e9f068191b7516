import assert from 'node:assert/strict';
import type { App } from '../../../application/app.js';
import { createMetrics } from '../../../interfaces/server/metrics.js';
import { eventually } from '../../support/eventually.js';
import { composeApp, followedVariant, openStores } from '../../support/following/following.js';
import { movedClock } from '../../support/moved-clock.js';

const { tag } = followedVariant;
const stuckSeconds = 600;
const away = () => Promise.reject(new Error('the store is away'));

/** Returns the value of one series, undefined when the text does not have it. */
const metricOf = (text: string, series: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};
const upOf = (text: string, source: string) => metricOf(text, `chainfold_metrics_source_up{source="${source}"}`);
const ageOf = (text: string, source: string) =>
  metricOf(text, `chainfold_metrics_source_age_seconds{source="${source}"}`);

describe('the metrics of a process', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  const clock = movedClock(1_700_000_000_000);
  let app: App;
  beforeEach(async () => {
    stores = await openStores();
    app = composeApp(stores, { system: clock.system });
  });
  afterEach(() => stores.close());

  it('count each stuck transaction once when two scrapes overlap', async () => {
    const one = { organizationId: 'o', variant: tag, transaction: {}, ageSeconds: 900 };
    const { render } = createMetrics({ ...app, stuckTransactions: async () => [one] as never }, { stuckSeconds });
    const texts = await Promise.all([render(), render()]);
    for (const text of texts) assert.equal(metricOf(text, `chainfold_transactions_stuck{chain="${tag}"}`), 1);
  });

  it('count each contract that is set aside and each unreadable block once when two scrapes overlap', async () => {
    const status = {
      ...app.status,
      failingContracts: async () => [{ chain: tag }] as never,
      unreadBlocks: async () => [{ tag }] as never,
    };
    const { render } = createMetrics({ ...app, status }, { stuckSeconds });
    const texts = await Promise.all([render(), render()]);
    for (const text of texts) {
      assert.equal(metricOf(text, `chainfold_follower_contracts_set_aside{chain="${tag}"}`), 1);
      assert.equal(metricOf(text, `chainfold_follower_blocks_unreadable{chain="${tag}"}`), 1);
    }
  });

  it('show all other sources when one of them fails', async () => {
    const text = await createMetrics({ ...app, deliveriesWaiting: away }, { stuckSeconds }).render();
    assert.equal(upOf(text, 'deliveries'), 0);
    assert.equal(ageOf(text, 'deliveries'), undefined);
    for (const source of ['events', 'projections', 'audit', 'transactions', 'followers']) {
      assert.equal(upOf(text, source), 1, source);
      assert.equal(ageOf(text, source), 0, source);
    }
    assert.equal(metricOf(text, 'chainfold_event_store_position'), 0);
    assert.equal(metricOf(text, 'chainfold_audit_refused'), 0);
  });

  it('keep the last value of a source that fails, with its age, until the source is back', async () => {
    const queue = { count: async () => 7 };
    const { render } = createMetrics({ ...app, deliveriesWaiting: () => queue.count() }, { stuckSeconds });
    const shown = async () => {
      const text = await render();
      return [upOf(text, 'deliveries'), ageOf(text, 'deliveries'), metricOf(text, 'chainfold_deliveries_waiting')];
    };
    assert.deepEqual(await shown(), [1, 0, 7]);
    queue.count = away;
    clock.pass(30);
    assert.deepEqual(await shown(), [0, 30, 7]);
    queue.count = async () => 9;
    assert.deepEqual(await shown(), [1, 0, 9]);
  });

  it('do not wait for a source that does not answer, and do not ask it again meanwhile', async () => {
    let asked = 0;
    let answer = (_count: number): void => undefined;
    const answered = new Promise<number>((resolve) => {
      answer = resolve;
    });
    const deliveriesWaiting = () => {
      asked++;
      return answered;
    };
    const { render } = createMetrics({ ...app, deliveriesWaiting }, { stuckSeconds, sourceTimeoutMs: 20 });
    await eventually(async () => {
      const text = await render();
      assert.equal(upOf(text, 'deliveries'), 0);
      assert.equal(upOf(text, 'audit'), 1);
    });
    assert.equal(asked, 1);
    answer(3);
    await eventually(async () => {
      const text = await render();
      assert.equal(upOf(text, 'deliveries'), 1);
      assert.equal(metricOf(text, 'chainfold_deliveries_waiting'), 3);
    });
  });

  it('ask a source again that left a request unanswered for too long', async () => {
    const queue = { count: () => new Promise<number>(() => undefined) };
    const deliveriesWaiting = () => queue.count();
    const { render } = createMetrics({ ...app, deliveriesWaiting }, { stuckSeconds, sourceTimeoutMs: 20 });
    assert.equal(upOf(await render(), 'deliveries'), 0);
    queue.count = async () => 4;
    clock.pass(31);
    await eventually(async () => assert.equal(metricOf(await render(), 'chainfold_deliveries_waiting'), 4));
  });

  it('show the alarm of a follower of this process while the store of its progress is unavailable', async () => {
    const status = { ...app.status, followers: away, failingContracts: away, traced: away };
    const follower = { variant: tag, alarm: () => 'no node answers' } as never;
    const text = await createMetrics({ ...app, status, followers: [follower] }, { stuckSeconds }).render();
    assert.equal(metricOf(text, `chainfold_follower_alarm{chain="${tag}"}`), 1);
    assert.equal(upOf(text, 'followers'), 0);
  });
});
