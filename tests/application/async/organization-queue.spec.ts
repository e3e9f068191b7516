import assert from 'node:assert/strict';
import { createOrganizationQueue } from '../../../application/async/organization-queue.js';
import { eventually } from '../../support/eventually.js';
import { testSystem } from '../../support/silent.js';

/** Works on one item at a time and notes whose it was; items named `bad` fail. */
const start = (atOnce: number) => {
  const served: string[] = [];
  const lanes = createOrganizationQueue<string>(testSystem, {
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
  const running = lanes.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
  };
  return { lanes, served, end };
};

describe('the lanes of organizations', () => {
  it('give each organization a turn after one piece of every other', async () => {
    const { lanes, served, end } = start(1);
    for (let n = 0; n < 1000; n++) lanes.add('greedy', String(n));
    lanes.add('modest', 'first');
    lanes.add('modest', 'second');
    await eventually(async () => assert.equal(served.length, 1002));
    await end();
    const turns = served.flatMap((organization, i) => (organization === 'modest' ? [i] : []));
    assert.deepEqual(turns, [1, 3]);
  });

  it('let a failing organization wait alone, and try it again', async () => {
    const { lanes, served, end } = start(1);
    lanes.add('failing', 'bad');
    for (let n = 0; n < 10; n++) lanes.add('modest', String(n));
    await eventually(async () => assert.equal(served.length, 10));
    await end();
    assert.deepEqual(new Set(served), new Set(['modest']));
  });

  it('serve items that come while nothing waits, and end with the signal', async () => {
    const { lanes, served, end } = start(4);
    lanes.add('one', 'a');
    await eventually(async () => assert.deepEqual(served, ['one']));
    lanes.add('one', 'b');
    await eventually(async () => assert.deepEqual(served, ['one', 'one']));
    await end();
  });
});
