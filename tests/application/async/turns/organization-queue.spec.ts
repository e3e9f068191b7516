import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createOrganizationQueue } from '../../../../application/async/turns/organization-queue.js';
import { eventually } from '../../../support/eventually.js';
import { testSystem } from '../../../support/silent.js';

/** Starts a queue that removes one item per turn and lists its organization in `served`; items named `bad` fail. */
const start = (atOnce: number) => {
  const served: string[] = [];
  const queue = createOrganizationQueue<string>(testSystem, {
    name: 'test',
    atOnce,
    work: async (lane, organizationId) => {
      const [item = ''] = lane;
      await testSystem.breathe();
      if (item === 'bad') throw new Error('this item always fails');
      lane.delete(item);
      served.push(organizationId);
    },
  });
  const stop = new AbortController();
  const running = queue.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
  };
  return { lanes: queue, served, end, signal: stop.signal };
};

describe('the organization queue', () => {
  it('gives each organization a turn after one task of every other', async () => {
    const { lanes, served, end } = start(1);
    for (let n = 0; n < 1000; n++) lanes.add('greedy', String(n));
    lanes.add('modest', 'first');
    lanes.add('modest', 'second');
    await eventually(async () => assert.equal(served.length, 1002));
    await end();
    const turns = served.flatMap((organization, i) => (organization === 'modest' ? [i] : []));
    assert.deepEqual(turns, [1, 3]);
  });

  it('delays only the failing organization, and retries it', async () => {
    const { lanes, served, end } = start(1);
    lanes.add('failing', 'bad');
    for (let n = 0; n < 10; n++) lanes.add('modest', String(n));
    await eventually(async () => assert.equal(served.length, 10));
    await end();
    assert.deepEqual(new Set(served), new Set(['modest']));
  });

  it('adds one listener to its signal, however many organizations fail', async () => {
    const { lanes, served, end, signal } = start(4);
    for (let n = 0; n < 50; n++) lanes.add(`failing ${n}`, 'bad');
    lanes.add('modest', 'last');
    await eventually(async () => assert.deepEqual(served, ['modest']));
    assert.equal(getEventListeners(signal, 'abort').length, 1);
    await end();
  });

  it('processes items added while it is idle, and ends when its signal is aborted', async () => {
    const { lanes, served, end } = start(4);
    lanes.add('one', 'a');
    await eventually(async () => assert.deepEqual(served, ['one']));
    lanes.add('one', 'b');
    await eventually(async () => assert.deepEqual(served, ['one', 'one']));
    await end();
  });
});
