import assert from 'node:assert/strict';
import { readAggregate } from '../../../application/commands/read-aggregate.js';
import { type NewEvent, streamName } from '../../../application/ports/event-store.js';
import type { Decider } from '../../../domain/decider.js';
import { UnreadableEvent } from '../../../domain/upcasters.js';
import { organizationCreated } from '../../support/histories/events.js';

type Counted = { type: 'Counted'; data: { by: number } };

const counter: Decider<never, Counted, { readonly sum: number; readonly times: number }> = {
  stream: 'counter',
  initial: { sum: 0, times: 0 },
  decide: {} as never,
  evolve: { Counted: ({ sum, times }, { by }) => ({ sum: sum + by, times: times + 1 }) },
};
const { metadata } = organizationCreated('a').events[0] as NewEvent;
const counted = (by: number): NewEvent => ({ id: `${by}`, type: 'Counted', data: { by }, metadata });

/** Streams by name; unlisted streams are empty, as in a store. */
const streams = (stored: Readonly<Record<string, readonly NewEvent[]>>) => ({
  read: async (stream: string) => {
    const events = stored[stream] ?? [];
    return { events, revision: events.length - 1 } as never;
  },
});

describe('readAggregate', () => {
  const stored = streams({
    [streamName('org_a', 'counter', 'one')]: [counted(2), counted(3)],
    [streamName('org_a', 'counter', 'two')]: [counted(10)],
    [streamName('org_b', 'counter', 'one')]: [counted(100)],
    [streamName('org_a', 'other', 'one')]: [counted(1000)],
  });

  it('folds only the events of its own key, organization and decider, in order', async () => {
    assert.deepEqual(await readAggregate(stored, counter, 'org_a', 'one'), { sum: 5, times: 2 });
  });

  it('returns the initial state for a stream that was never written', async () => {
    assert.equal(await readAggregate(stored, counter, 'org_a', 'three'), counter.initial);
  });

  it('applies a run of events of one type at once if the decider can', async () => {
    const runs: number[] = [];
    const atOnce: typeof counter = {
      ...counter,
      evolveRun: {
        Counted: ({ sum, times }, run) => {
          runs.push(run.length);
          return { sum: run.reduce((total, { by }) => total + by, sum), times: times + run.length };
        },
      },
    };
    assert.deepEqual(await readAggregate(stored, atOnce, 'org_a', 'one'), { sum: 5, times: 2 });
    assert.deepEqual(runs, [2]);
  });

  it('rejects an event type that only a newer release knows, naming the type and the organization', async () => {
    const newer = streams({
      [streamName('org_a', 'counter', 'one')]: [counted(2), { ...counted(3), type: 'Doubled' }],
    });
    await assert.rejects(readAggregate(newer, counter, 'org_a', 'one'), (error: Error) => {
      assert.ok(error instanceof UnreadableEvent);
      assert.equal(error.organizationId, metadata.organizationId);
      assert.match(error.message, /^Doubled of .* is unknown to this release in a stream of counter\. Upgrade/);
      return true;
    });
  });

  it('passes on errors of the store', async () => {
    const broken = { read: () => Promise.reject(new Error('the disk is gone')) };
    await assert.rejects(readAggregate(broken, counter, 'org_a', 'one'), /the disk is gone/);
  });

  describe('of a long stream', () => {
    const long = Array.from({ length: 300 }, (_, n) => counted(n));
    let applied: number[];
    let recording: typeof counter;
    const sumOf = (events: readonly NewEvent[]) => ({
      sum: events.reduce((total, { data }) => total + (data as Counted['data']).by, 0),
      times: events.length,
    });
    beforeEach(() => {
      applied = [];
      recording = {
        ...counter,
        evolve: {
          Counted: (state, data) => {
            applied.push(data.by);
            return counter.evolve.Counted(state, data);
          },
        },
      };
    });
    const readOf = (events: readonly NewEvent[], by = recording) =>
      readAggregate(streams({ [streamName('org_a', 'counter', 'long')]: events }), by, 'org_a', 'long');

    it('folds only the new events if the store returns the same event objects again', async () => {
      await readOf(long);
      applied = [];
      const more = [...long, counted(1000), counted(2000)];
      assert.deepEqual(await readOf(more), sumOf(more));
      assert.deepEqual(await readOf(more), sumOf(more));
      assert.deepEqual(applied, [1000, 2000]);
    });

    it('folds all events if one of the earlier events is missing or different', async () => {
      await readOf(long);
      const fewer = long.slice(0, -1);
      const inserted = [...long.slice(0, 100), counted(5000), ...long.slice(100)];
      const replaced = [...long.slice(0, -1), counted(6000), counted(7000)];
      for (const events of [fewer, inserted, replaced, long]) assert.deepEqual(await readOf(events), sumOf(events));
    });

    it('keeps no state of another decider', async () => {
      await readOf(long);
      const largest: typeof counter = {
        ...counter,
        evolve: { Counted: ({ sum, times }, { by }) => ({ sum: Math.max(sum, by), times: times + 1 }) },
      };
      assert.deepEqual(await readOf(long, largest), { sum: 299, times: 300 });
    });

    it('rejects an unknown type among the new events', async () => {
      await readOf(long);
      await assert.rejects(readOf([...long, { ...counted(1), type: 'Doubled' }]), UnreadableEvent);
    });
  });
});
