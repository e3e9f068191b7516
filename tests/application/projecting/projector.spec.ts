import assert from 'node:assert/strict';
import { beginning, type EventStore } from '../../../application/ports/event-store.js';
import type { RebuildableReadModels } from '../../../application/ports/generations.js';
import { createProjector } from '../../../application/projecting/projector.js';
import { createRebuild } from '../../../application/projecting/rebuild.js';
import { createProgress } from '../../../application/read-models/progress.js';
import { type Projection, systemOwner } from '../../../projections/define.js';
import type { AnyProjection } from '../../../projections/index.js';
import { projections } from '../../../projections/index.js';
import { eventStores, readModels } from '../../support/engines/adapters.js';
import { type Place, usePlace } from '../../support/engines/places.js';
import { until } from '../../support/eventually.js';
import { organizationCreated } from '../../support/histories/events.js';
import { testSystem } from '../../support/silent.js';

type Created = { type: 'OrganizationCreated'; data: { organizationId: string; domain: string } };

/** Projection that counts its events, which reveals an event that is applied twice or skipped. */
const counts: Projection<Created, { count: number }> = {
  name: 'counts',
  version: 1,
  indexes: {},
  scope: () => systemOwner,
  key: () => 'all',
  on: { OrganizationCreated: (doc) => ({ count: (doc?.count ?? 0) + 1 }) },
};
/** Projection that fails on the event with the domain `poison`. */
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
  { name: 'sqlite', eventPlace: eventStores.sqlite, modelPlace: readModels.sqlite },
  {
    name: 'eventstoredb and mongodb',
    eventPlace: eventStores['eventstoredb over its wire'],
    modelPlace: readModels.mongodb,
  },
];

for (const { name, eventPlace, modelPlace } of pairs)
  describe(`the projector on ${name}`, () => {
    const log = usePlace<Place<EventStore>>(eventPlace);
    const documents = usePlace<Place<RebuildableReadModels>>(() => modelPlace([...catalogue, ...projections]));
    let events: EventStore;
    let models: RebuildableReadModels;
    let other: RebuildableReadModels;
    beforeEach(async () => {
      [events, models, other] = await Promise.all([log.open(), documents.open(), documents.open()]);
    });

    const append = (domain: string) => events.append([organizationCreated(domain)]);
    const project = (wanted: readonly AnyProjection[], over = models, system = testSystem) => {
      const stop = new AbortController();
      const projector = createProjector({
        events,
        readModels: over,
        progress: createProgress({ readModels: over, events, system }),
        system,
        projections: wanted,
      });
      const running = projector.run(stop.signal);
      const end = () => {
        stop.abort();
        return running;
      };
      return { projector, stop: end };
    };
    const positionOf = async (name: string) => (await models.checkpoint()).positions[name] ?? 0;
    const reached = (name: string, position: number) =>
      until(`${name} has reached ${position}`, async () => (await positionOf(name)) >= position);

    it('applies each event once while another projector runs concurrently', async () => {
      const runners = [project([counts]), project([counts], other)];
      let last = 0;
      for (let n = 0; n < 300; n++) last = await append(`d${n}`);
      await reached('counts', last);
      await Promise.all(runners.map(({ stop }) => stop()));
      assert.deepEqual(await models.get(counts, { scope: systemOwner, id: 'all' }), { count: 300 });
    });

    it('reads a document that every batch changes only for the first batch', async () => {
      let reads = 0;
      const counting: RebuildableReadModels = {
        ...models,
        getMany: (collection, keys) => {
          reads += keys.length;
          return models.getMany(collection, keys);
        },
      };
      const runner = project([counts], counting);
      for (let n = 0; n < 20; n++) {
        const position = await append(`d${n}`);
        await reached('counts', position);
      }
      await runner.stop();
      assert.deepEqual(await models.get(counts, { scope: systemOwner, id: 'all' }), { count: 20 });
      assert.equal(reads, 1);
    });

    it('folds a large append in one turn of the event loop per projection', async () => {
      let turn = 0;
      const turns = new Map<string, Set<number>>();
      const breathe = async () => {
        await testSystem.breathe();
        turn++;
      };
      const noting = (name: string): Projection<Created, { count: number }> => ({
        ...counts,
        name,
        on: {
          OrganizationCreated: (doc) => {
            turns.set(name, (turns.get(name) ?? new Set()).add(turn));
            return { count: (doc?.count ?? 0) + 1 };
          },
        },
      });
      const created = organizationCreated('large');
      const [one] = created.events;
      const many = Array.from({ length: 500 }, () => ({ ...one, id: testSystem.uuid() }) as typeof one & object);
      const runner = project([noting('counts'), noting('picky')], models, { ...testSystem, breathe });
      const position = await events.append([{ ...created, events: many }]);
      await reached('picky', position);
      await runner.stop();
      const [first, second] = [turns.get('counts'), turns.get('picky')];
      assert.ok(first && second);
      assert.deepEqual(
        [...first].filter((one) => second.has(one)),
        [],
      );
    });

    it('treats read models of another event store as empty, and keeps them until they are replaced', async () => {
      const position = await append('restored');
      const foreign = Object.fromEntries(projections.map((projection) => [projection.name, position + 10]));
      const document = { count: 7 };
      const change = { collection: counts, scope: systemOwner, id: 'all', document };
      await models.commit([change], await models.checkpoint(), foreign);
      const progress = createProgress({ readModels: models, events, system: testSystem });
      assert.equal(await progress.refresh(), beginning);
      assert.equal(await progress.reached(position, 50), false);
      const said: string[] = [];
      const log = { ...testSystem.log, error: (_: object, text: string) => void said.push(text) };
      const runner = project(projections, models, { ...testSystem, log });
      await until('the projector logs an error', () => said.length > 0);
      assert.match(said.join(), /ahead of the event store.*chainfold projections rebuild --all/);
      // Events that are appended meanwhile do not make these read models valid.
      let last = position;
      for (let n = 0; n < 12; n++) last = await append(`later${n}`);
      assert.equal(await progress.refresh(), beginning);
      assert.deepEqual(await models.get(counts, { scope: systemOwner, id: 'all' }), document);
      const rebuild = createRebuild({ events, readModels: models, system: testSystem, projections });
      const options = { signal: new AbortController().signal, report: () => undefined };
      assert.equal((await rebuild.run(projections, options)).outcome, 'swapped');
      await until('the read models are valid again', async () => (await progress.refresh()) >= last);
      const next = await append('next');
      await until('the next event is shown', async () => (await progress.refresh()) >= next);
      await runner.stop();
    });

    it('continues when the store reported too low a head only once', async () => {
      const position = await append('known');
      const positions = { counts: position };
      const document = { count: 7 };
      await models.commit(
        [{ collection: counts, scope: systemOwner, id: 'all', document }],
        await models.checkpoint(),
        positions,
      );
      const heads = [beginning];
      const lagging = { ...events, head: async () => heads.pop() ?? (await events.head()) };
      const stop = new AbortController();
      const progress = createProgress({ readModels: models, events, system: testSystem });
      const ports = { events: lagging, readModels: models, progress, system: testSystem, projections: [counts] };
      const running = createProjector(ports).run(stop.signal);
      const next = await append('next');
      await reached('counts', next);
      stop.abort();
      await running;
      assert.deepEqual([heads.length, await models.get(counts, { scope: systemOwner, id: 'all' })], [0, { count: 8 }]);
    });

    it('continues from its checkpoint after each stop', async () => {
      for (let round = 1; round <= 5; round++) {
        const runner = project([counts]);
        const position = await append(`round${round}`);
        await reached('counts', position);
        await runner.stop();
        assert.deepEqual(await models.get(counts, { scope: systemOwner, id: 'all' }), { count: round });
      }
    });

    it('stops only the projection that cannot apply an event, and reports the reason', async () => {
      await append('fine');
      await append('poison');
      const last = await append('later');
      const runner = project(catalogue);
      await reached('counts', last);
      assert.match(runner.projector.stopped().get('picky') ?? '', /cannot digest/);
      assert.ok((await positionOf('picky')) < last);
      await runner.stop();
      assert.deepEqual(await models.get(counts, { scope: systemOwner, id: 'all' }), { count: 3 });
    });

    it('builds a new projection from the first event on', async () => {
      let last = 0;
      for (const domain of ['a', 'b', 'c']) last = await append(domain);
      const first = project([counts]);
      await reached('counts', last);
      await first.stop();
      const second = project([counts, picky]);
      await reached('picky', last);
      await second.stop();
      assert.deepEqual(await models.get(picky, { scope: systemOwner, id: 'all' }), { domain: 'c' });
      assert.deepEqual(await models.get(counts, { scope: systemOwner, id: 'all' }), { count: 3 });
    });
  });
