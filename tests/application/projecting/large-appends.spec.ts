import assert from 'node:assert/strict';
import { type Context, createHandle, step } from '../../../application/commands/handle.js';
import { beginning, type EventStore } from '../../../application/ports/event-store.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { createProjector } from '../../../application/projecting/projector.js';
import { createProgress } from '../../../application/read-models/progress.js';
import { address } from '../../../domain/aggregates/address.js';
import { wallet } from '../../../domain/aggregates/wallet.js';
import { projections } from '../../../projections/index.js';
import { eventStores, readModels } from '../../support/engines/adapters.js';
import { type Place, usePlace } from '../../support/engines/places.js';
import { until } from '../../support/eventually.js';
import { contextOf } from '../../support/following/following.js';
import { byTier } from '../../support/run/tier.js';
import { testSystem } from '../../support/silent.js';

const commands = 8;
const size = 100;
/**
 * Maximum number of large commands of one organization that may be stored before a later command of another
 * organization.
 */
const maxBefore = 2;
const by = (organizationId: string): Context => ({
  ...contextOf(organizationId),
  actor: { kind: 'credential', id: organizationId },
});

const embedded = ['sqlite', eventStores.sqlite, readModels.sqlite] as const;
const services = ['eventstoredb and mongodb', eventStores['eventstoredb over its wire'], readModels.mongodb] as const;

// Runs on the services only in the full tier, because appends to many streams are slow on the EventStoreDB double.
for (const [name, eventPlace, modelPlace] of byTier([embedded], [services]))
  describe(`the projector during large appends on ${name}`, () => {
    const log = usePlace<Place<EventStore>>(eventPlace);
    const documents = usePlace<Place<ReadModels>>(() => modelPlace(projections));

    it("shows another organization's event after few batches, however many large commands came before", async () => {
      const [events, models] = await Promise.all([log.open(), documents.open()]);
      /** Positions of the projections after each commit. */
      const pieces: (readonly number[])[] = [];
      const counted: ReadModels = {
        ...models,
        commit: (changes, from, to) => {
          pieces.push(Object.values(to));
          return models.commit(changes, from, to);
        },
      };
      const progress = createProgress({ readModels: counted, events, system: testSystem });
      const stop = new AbortController();
      const ports = { events, readModels: counted, progress, system: testSystem, projections };
      const running = createProjector(ports).run(stop.signal);
      const handle = createHandle(events, testSystem);
      const register = (command: number) =>
        Array.from({ length: size }, (_, n) => {
          const data = { address: `a${command}-${n}`, walletId: 'w' };
          return { ...step(address, 'org_a', data.address, { type: 'Register', data }), mayBeNew: true };
        });
      const large = Array.from({ length: commands }, (_, n) => handle(by('org_a'), register(n)));
      const data = { walletId: 'w', name: 'b' };
      const position = await handle(by('org_b'), [step(wallet, 'org_b', 'w', { type: 'Register', data })]);
      await until('the event is shown', async () => (await progress.refresh()) >= position);
      const piecesUntil = 1 + pieces.findIndex((reached) => reached.every((one) => one >= position));
      await Promise.all(large);
      let before = 0;
      for await (const batch of events.readAll(beginning))
        before += batch.filter((one) => one.position < position && one.metadata.organizationId === 'org_a').length;
      assert.ok(before <= maxBefore * size, `${before} events of the greedy organization came before`);
      // Expects at most one batch for each large command before the event, one batch that was in progress, and the
      // batch with the event itself.
      assert.ok(piecesUntil <= maxBefore + 2, `${piecesUntil} batches were projected before`);
      stop.abort();
      await running;
    });
  });
