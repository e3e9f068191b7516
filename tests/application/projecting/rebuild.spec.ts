import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type EventStore, noStream } from '../../../application/ports/event-store.js';
import type { RebuildableReadModels } from '../../../application/ports/generations.js';
import type { DocumentKey } from '../../../application/ports/read-models.js';
import { createProjector } from '../../../application/projecting/projector.js';
import { createRebuild, type Rebuilt } from '../../../application/projecting/rebuild.js';
import { createProgress } from '../../../application/read-models/progress.js';
import { type Projection, systemOwner } from '../../../projections/define.js';
import { type AnyProjection, projections } from '../../../projections/index.js';
import { eventStores, rebuildableReadModels } from '../../support/engines/adapters.js';
import { type Place, usePlace } from '../../support/engines/places.js';
import { until } from '../../support/eventually.js';
import { organizationCreated } from '../../support/histories/events.js';
import { histories } from '../../support/histories/histories.js';
import { describeInFull } from '../../support/run/tier.js';
import { testSystem } from '../../support/silent.js';

const longHistory = fc.sample(histories, { numRuns: 3, seed: 4 }).flat();

type Created = { type: 'OrganizationCreated'; data: { organizationId: string; domain: string } };
const counts: Projection<Created, { count: number; step: number }> = {
  name: 'counts',
  version: 1,
  indexes: {},
  scope: () => systemOwner,
  key: () => 'all',
  on: { OrganizationCreated: (doc) => ({ count: (doc?.count ?? 0) + 1, step: 1 }) },
};
/** Projection of a later release, which builds a different document from the same events. */
const countsRaised: typeof counts = {
  ...counts,
  version: 2,
  on: { OrganizationCreated: (doc) => ({ count: (doc?.count ?? 0) + 2, step: 2 }) },
};
const picky: typeof counts = {
  ...counts,
  name: 'picky',
  on: {
    OrganizationCreated: (_, { domain }) => {
      if (domain === 'poison') throw new Error('cannot digest');
      return { count: 1, step: 1 };
    },
  },
};

/** Engines with sizes so small that a history is written in many parts, and documents are evicted and read again. */
const engines = [
  {
    name: 'sqlite',
    eventPlace: eventStores.sqlite,
    modelPlace: rebuildableReadModels.sqlite,
    sizes: { writtenAtOnce: 7 },
    history: longHistory,
    times: 3,
  },
  {
    name: 'eventstoredb and mongodb',
    eventPlace: eventStores['eventstoredb over its wire'],
    modelPlace: rebuildableReadModels.mongodb,
    sizes: { writtenAtOnce: 30 },
    history: longHistory.slice(0, 250),
    times: 1,
  },
] as const;

for (const { name, eventPlace, modelPlace, sizes, history, times } of engines)
  (name === 'sqlite' ? describe : describeInFull)(`a rebuild on ${name}`, () => {
    let declared: readonly AnyProjection[] = projections;
    const log = usePlace<Place<EventStore>>(eventPlace);
    const documents = usePlace<Place<RebuildableReadModels>>(async () => {
      const { open, ...rest } = await modelPlace([]);
      return { ...rest, open: () => open(declared) };
    });
    let events: EventStore;
    let models: RebuildableReadModels;
    beforeEach(async () => {
      declared = projections;
      [events, models] = await Promise.all([log.open(), documents.open()]);
    });

    const remember = async () => {
      for (let at = 0; at < history.length; at += 50) {
        const some = history.slice(at, at + 50).map(({ type, data, about }) => ({
          id: randomUUID(),
          type,
          data,
          metadata: {
            organizationId: about.organizationId,
            variant: about.variant,
            actor: { kind: 'process' as const, id: 'test' },
            requestId: 'r',
            causationId: 'r',
            correlationId: 'r',
            occurredAt: about.occurredAt,
          },
        }));
        await events.append([{ stream: `org_1.thing-${randomUUID()}`, expected: noStream, events: some }]);
      }
    };
    const project = (wanted: readonly AnyProjection[], over = models) => {
      const stop = new AbortController();
      const progress = createProgress({ readModels: over, events, system: testSystem });
      const running = createProjector({
        events,
        readModels: over,
        progress,
        system: testSystem,
        projections: wanted,
      }).run(stop.signal);
      return async () => {
        stop.abort();
        await running;
      };
    };
    const reached = async (wanted: readonly AnyProjection[], over = models) => {
      const head = await events.head();
      await until(`all projections have reached ${head}`, async () => {
        const { positions } = await over.checkpoint();
        return wanted.every((one) => (positions[one.name] ?? 0) >= head);
      });
    };
    const projected = async (wanted: readonly AnyProjection[] = projections) => {
      const stop = project(wanted);
      await reached(wanted);
      await stop();
    };
    const dump = async (over = models, wanted: readonly AnyProjection[] = projections) => {
      const found: unknown[] = [];
      for (const projection of wanted) {
        let after: DocumentKey | undefined;
        do {
          const some = await over.scan(projection, after);
          found.push(...some.map((one) => ({ name: projection.name, ...one })));
          after = some.at(-1);
        } while (after);
      }
      return found;
    };
    const never = new AbortController().signal;
    const rebuildOver = (over: RebuildableReadModels, all: readonly AnyProjection[] = projections) =>
      createRebuild({ events, readModels: over, system: testSystem, projections: all, sizes });
    const rebuilt = (options: { compare?: boolean } = {}, all: readonly AnyProjection[] = projections) =>
      rebuildOver(models, all).run(all, { signal: never, report: () => undefined, ...options });
    const live = async (of: string) =>
      (await models.generations.listGenerations()).find((one) => one.collection === of && one.state === 'live');

    it('produces the same documents as the live projections', async () => {
      await remember();
      await projected();
      const before = await dump();
      assert.ok(before.length > 20, `${before.length} documents`);
      const { outcome } = await rebuilt();
      assert.equal(outcome, 'swapped');
      assert.deepEqual(await dump(), before);
      assert.equal((await live('wallets'))?.number, 2);
      const again = await rebuilt({ compare: true });
      assert.equal(again.outcome, 'swapped');
      assert.equal(
        again.comparisons.reduce((sum, one) => sum + one.built.documents, 0),
        before.length,
      );
      assert.ok(again.comparisons.every((one) => one.equal && one.live.hash === one.built.hash));
    });

    it('resumes where it was interrupted, any number of times', async () => {
      await remember();
      await projected();
      const before = await dump();
      const outcomes: Rebuilt['outcome'][] = [];
      let applied = 0;
      while (outcomes.at(-1) !== 'swapped') {
        const stop = new AbortController();
        // Interrupts each of the first three runs at its first progress report, which follows one batch.
        const signal = outcomes.length < 3 ? stop.signal : never;
        const part = await rebuildOver(models).run(projections, { signal, report: () => stop.abort() });
        applied += part.events;
        outcomes.push(part.outcome);
        if (part.outcome === 'interrupted') assert.deepEqual(await dump(), before);
      }
      assert.equal(outcomes.length, 4);
      assert.equal(applied, await events.countAfter(0));
      assert.deepEqual(await dump(), before);
    });

    it('ends with the right documents when two rebuilds run concurrently', async () => {
      await remember();
      await projected();
      const before = await dump();
      const other = await documents.open();
      const both = await Promise.all(
        [models, other].map((over) => rebuildOver(over).run(projections, { signal: never, report: () => undefined })),
      );
      assert.deepEqual(
        both.map(({ outcome }) => outcome),
        ['swapped', 'swapped'],
      );
      assert.deepEqual(await dump(), before);
      assert.deepEqual(await dump(other), before);
    });

    it('disturbs neither readers nor writers', async () => {
      declared = [...projections, counts];
      models = await documents.open();
      for (let n = 0; n < 10; n++) await events.append([organizationCreated(`d${n}`)]);
      await projected([counts]);
      const stop = project([counts], await documents.open());
      const reader = await documents.open();
      const over = new AbortController();
      let [seen, reads] = [10, 0];
      const reading = async () => {
        while (!over.signal.aborted) {
          const found = await reader.get(counts, { scope: systemOwner, id: 'all' });
          assert.ok(found && found.count >= seen, `${found?.count} after ${seen}`);
          seen = found.count;
          reads++;
          await testSystem.sleep(5);
        }
      };
      const writing = async () => {
        while (!over.signal.aborted) {
          await events.append([organizationCreated('more')]);
          await testSystem.sleep(20);
        }
      };
      const work = Promise.all([reading(), writing()]);
      for (let n = 0; n < times || reads <= 10; n++) assert.equal((await rebuilt({}, [counts])).outcome, 'swapped');
      over.abort();
      await work;
      await reached([counts]);
      await stop();
      assert.equal((await models.get(counts, { scope: systemOwner, id: 'all' }))?.count, await events.countAfter(0));
    });

    it('reports documents that differ in compare mode, and does not swap generations', async () => {
      await remember();
      await projected();
      const before = await dump();
      const wallets = projections.find((one) => one.name === 'wallets') as AnyProjection;
      const [planted] = await models.scan(wallets);
      assert.ok(planted);
      const from = await models.checkpoint();
      const altered = { ...(planted.document as object), name: 'planted' };
      await models.commit(
        [
          { collection: wallets, scope: planted.scope, id: planted.id, document: altered },
          { collection: wallets, scope: planted.scope, id: 'extra', document: altered },
        ],
        from,
        from.positions,
      );
      const { outcome, comparisons } = await rebuilt({ compare: true });
      assert.equal(outcome, 'different');
      const different = comparisons.filter(({ equal }) => !equal);
      assert.deepEqual(
        different.map((one) => [one.name, one.differing, one.live.documents - one.built.documents]),
        [['wallets', 2, 1]],
      );
      assert.deepEqual(new Set(different[0]?.differences.map(({ id }) => id)), new Set([planted.id, 'extra']));
      assert.deepEqual(await models.get(wallets, planted), altered);
      assert.equal((await rebuilt()).outcome, 'swapped');
      assert.deepEqual(await dump(), before);
    });

    it('does not swap in a projection that cannot apply an event, and reports the reason', async () => {
      declared = [counts, picky];
      models = await documents.open();
      for (const domain of ['fine', 'poison', 'later']) await events.append([organizationCreated(domain)]);
      const { outcome, failures } = await rebuilt({}, [counts, picky]);
      assert.equal(outcome, 'failed');
      assert.match(String(failures.picky), /cannot digest/);
      assert.deepEqual(await models.get(counts, { scope: systemOwner, id: 'all' }), { count: 3, step: 1 });
      assert.deepEqual([(await live('picky'))?.number, (await live('counts'))?.number], [1, 2]);
    });

    it('starts automatically for a projection with a higher version, while the old documents are served', async () => {
      declared = [...projections, counts];
      models = await documents.open();
      for (let n = 0; n < 5; n++) await events.append([organizationCreated(`d${n}`)]);
      await projected([counts]);
      declared = [...projections, countsRaised];
      models = await documents.open();
      const count = async () => (await models.get(countsRaised, { scope: systemOwner, id: 'all' }))?.count;
      assert.deepEqual([await count(), (await live('counts'))?.version], [5, 1]);
      const stopProjecting = project([countsRaised]);
      await events.append([organizationCreated('before the rebuild')]);
      await reached([countsRaised]);
      assert.equal(await count(), 7);
      const stop = new AbortController();
      const running = rebuildOver(models, [countsRaised]).runOutdated(stop.signal);
      await until('the higher version is live', async () => (await live('counts'))?.version === 2);
      await events.append([organizationCreated('after it')]);
      await reached([countsRaised]);
      assert.equal(await count(), 14);
      stop.abort();
      await Promise.all([running, stopProjecting()]);
    });
  });
