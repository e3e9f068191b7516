import assert from 'node:assert/strict';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { createProjector } from '../../../application/projecting/projector.js';
import { createProgress } from '../../../application/read-models/progress.js';
import { everybody, type Projection } from '../../../projections/define.js';
import type { AnyProjection } from '../../../projections/index.js';
import { projections } from '../../../projections/index.js';
import { eventStores, readModels } from '../../support/adapters.js';
import { organizationCreated } from '../../support/events.js';
import { type Place, usePlace } from '../../support/places.js';
import { testSystem } from '../../support/silent.js';

type Created = { type: 'OrganizationCreated'; data: { organizationId: string; domain: string } };

/** Counts what it is given, so that an event applied twice or skipped shows. */
const counts: Projection<Created, { count: number }> = {
  name: 'counts',
  version: 1,
  indexes: {},
  scope: () => everybody,
  key: () => 'all',
  on: { OrganizationCreated: (doc) => ({ count: (doc?.count ?? 0) + 1 }) },
};
/** Cannot apply one certain event. */
const picky: Projection<Created, { domain: string }> = {
  ...counts,
  indexes: {},
  name: 'picky',
  on: {
    OrganizationCreated: (_, { domain }) => {
      if (domain === 'poison') throw new Error('cannot digest');
      return { domain };
    },
  },
};

const catalogue: readonly AnyProjection[] = [counts, picky];
const pairs = [
  ['sqlite', eventStores.sqlite, readModels.sqlite],
  ['eventstoredb and mongodb', eventStores['eventstoredb over its wire'], readModels.mongodb],
] as const;

for (const [name, eventPlace, modelPlace] of pairs)
  describe(`projector on ${name}`, () => {
    const log = usePlace<Place<EventStore>>(eventPlace);
    const documents = usePlace<Place<ReadModels>>(() => modelPlace([...catalogue, ...projections]));
    let events: EventStore;
    let models: ReadModels;
    let other: ReadModels;
    beforeEach(async () => {
      [events, models, other] = await Promise.all([log.open(), documents.open(), documents.open()]);
    });

    const append = (domain: string) => events.append([organizationCreated(domain)]);
    const project = (wanted: readonly AnyProjection[], over = models) => {
      const stop = new AbortController();
      const projector = createProjector({
        events,
        readModels: over,
        progress: createProgress(over, testSystem),
        system: testSystem,
        projections: wanted,
      });
      const running = projector.run(stop.signal);
      const end = () => {
        stop.abort();
        return running;
      };
      return { projector, stop: end };
    };
    const until = async (done: () => Promise<boolean>) => {
      while (!(await done())) await testSystem.sleep(1);
    };
    const positionOf = async (name: string) => (await models.checkpoint()).positions[name] ?? 0;

    it('applies each event once, though two run at the same time', async () => {
      const runners = [project([counts]), project([counts], other)];
      let last = 0;
      for (let n = 0; n < 300; n++) last = await append(`d${n}`);
      await until(async () => (await positionOf('counts')) >= last);
      await Promise.all(runners.map(({ stop }) => stop()));
      assert.deepEqual(await models.get(counts, { scope: everybody, id: 'all' }), { count: 300 });
    });

    it('goes on where it was stopped', async () => {
      for (let round = 1; round <= 5; round++) {
        const runner = project([counts]);
        const position = await append(`round${round}`);
        await until(async () => (await positionOf('counts')) >= position);
        await runner.stop();
        assert.deepEqual(await models.get(counts, { scope: everybody, id: 'all' }), { count: round });
      }
    });

    it('stops the one projection that cannot apply an event, and says why', async () => {
      await append('fine');
      await append('poison');
      const last = await append('later');
      const runner = project(catalogue);
      await until(async () => (await positionOf('counts')) >= last);
      assert.match(runner.projector.stopped().get('picky') ?? '', /cannot digest/);
      assert.ok((await positionOf('picky')) < last);
      await runner.stop();
      assert.deepEqual(await models.get(counts, { scope: everybody, id: 'all' }), { count: 3 });
    });

    it('builds a projection that is new from the beginning', async () => {
      let last = 0;
      for (const domain of ['a', 'b', 'c']) last = await append(domain);
      const first = project([counts]);
      await until(async () => (await positionOf('counts')) >= last);
      await first.stop();
      const second = project([counts, picky]);
      await until(async () => (await positionOf('picky')) >= last);
      await second.stop();
      assert.deepEqual(await models.get(picky, { scope: everybody, id: 'all' }), { domain: 'c' });
      assert.deepEqual(await models.get(counts, { scope: everybody, id: 'all' }), { count: 3 });
    });
  });
