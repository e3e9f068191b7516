import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type EventStore, noStream, type Recorded, streamName } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { followInTurns } from '../../../application/processes/follow-in-turns.js';
import type { Progress } from '../../../application/read-models/progress.js';
import { eventStores, states } from '../../support/engines/adapters.js';
import { type Place, usePlace } from '../../support/engines/places.js';
import { eventually } from '../../support/eventually.js';
import { organizationCreated } from '../../support/histories/events.js';
import { testSystem } from '../../support/silent.js';

/** Number of events of one organization, which is greater than the number that a process keeps in memory. */
const many = 2500;

for (const engine of ['sqlite', 'eventstoredb over its wire'] as const)
  describe(`a process that serves organizations in turn, on ${engine}`, function () {
    this.timeout(60_000);
    let stops: (() => Promise<void>)[];
    // Registered before the hooks of `usePlace`, which close the stores.
    afterEach(async () => {
      for (const stop of stops) await stop();
    });
    const log = usePlace<Place<EventStore>>(eventStores[engine]);
    const entries = usePlace<Place<StateStore>>(states.sqlite);
    let events: EventStore;
    let state: StateStore;
    /** Numbers of the events that were handled, by organization. */
    let handled: Map<string, number[]>;
    let stuck: Set<string>;
    beforeEach(async () => {
      [events, state] = await Promise.all([log.open(), entries.open()]);
      [handled, stuck, stops] = [new Map(), new Set(), []];
    });

    const append = async (organizationId: string, count: number) => {
      const [written] = organizationCreated('any').events;
      assert.ok(written);
      const metadata = { ...written.metadata, organizationId };
      const numbered = Array.from({ length: count }, (_, n) => ({
        ...written,
        id: randomUUID(),
        data: { n },
        metadata,
      }));
      const stream = streamName(organizationId, 'thing', randomUUID());
      await events.append([{ stream, expected: noStream, events: numbered }]);
    };
    const numberOf = ({ data }: Recorded) => (data as { n: number }).n;
    const start = (isNewestEnough = false) => {
      const run = followInTurns(
        { events, state, progress: { reached: async () => true } as unknown as Progress, system: testSystem },
        {
          name: 'test',
          id: 'test',
          isNewestEnough,
          ownerOf: ({ metadata }) => metadata.organizationId,
          work: async function* (organizationId, some) {
            if (stuck.has(organizationId)) throw new Error('this organization is stuck');
            yield;
            handled.set(organizationId, [...(handled.get(organizationId) ?? []), ...some.map(numberOf)]);
          },
        },
      );
      const stop = new AbortController();
      const running = run(stop.signal);
      const end = async () => {
        stop.abort();
        await running;
      };
      stops.push(end);
      return end;
    };
    const inOrder = (count: number) => Array.from({ length: count }, (_, n) => n);

    it('handles every event once and in order, even when more wait than are kept in memory', async () => {
      stuck.add('org_greedy');
      start();
      await append('org_greedy', many);
      await append('org_modest', 1);
      await eventually(() => assert.deepEqual(handled.get('org_modest'), [0]));
      assert.equal(handled.get('org_greedy'), undefined);
      stuck.clear();
      await eventually(() => assert.equal(handled.get('org_greedy')?.length, many));
      assert.deepEqual(handled.get('org_greedy'), inOrder(many));
    });

    it('resumes at the oldest unfinished event after a restart', async () => {
      stuck.add('org_greedy');
      const end = start();
      await append('org_greedy', 3);
      await append('org_modest', 1);
      await eventually(() => assert.deepEqual(handled.get('org_modest'), [0]));
      await end();
      stuck.clear();
      start();
      await eventually(() => assert.deepEqual(handled.get('org_greedy'), inOrder(3)));
    });

    it('reads nothing twice after a restart, once all is done and saved', async () => {
      const end = start();
      await append('org_modest', 1);
      await eventually(() => assert.deepEqual(handled.get('org_modest'), [0]));
      await append('org_other', 1);
      await eventually(() => assert.deepEqual(handled.get('org_other'), [0]));
      await end();
      start();
      await append('org_last', 1);
      await eventually(() => assert.deepEqual(handled.get('org_last'), [0]));
      assert.deepEqual(handled.get('org_modest'), [0]);
    });

    it('skips waiting events that a later one supersedes, if asked to', async () => {
      stuck.add('org_greedy');
      start(true);
      await append('org_greedy', many);
      await append('org_modest', 1);
      await eventually(() => assert.deepEqual(handled.get('org_modest'), [0]));
      stuck.clear();
      await eventually(() => assert.equal(handled.get('org_greedy')?.at(-1), many - 1));
      assert.ok((handled.get('org_greedy')?.length ?? 0) <= 2);
    });
  });
