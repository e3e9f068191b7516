import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { App } from '../../application/app.js';
import { globalContext } from '../../application/commands/handle.js';
import { createIdempotency } from '../../application/commands/idempotency.js';
import type { EventStore } from '../../application/ports/event-store.js';
import type { Limiter } from '../../application/ports/limiter.js';
import { supervise } from '../../application/processes/supervise.js';
import { type Endpoint, endpoints } from '../../interfaces/operations/index.js';
import { eventStores } from '../support/engines/adapters.js';
import { allEvents, composeApp, openStores, processOf } from '../support/following/following.js';
import { describeInFull } from '../support/run/tier.js';
import { createScene, followChains, quietChains, rows } from '../support/scenes/lost-answers.js';
import { testSystem } from '../support/silent.js';

const commands = endpoints.filter(({ operation }) => operation.kind === 'command');
/** Event types that record observed facts. A retry may observe and append them again. */
const facts = new Set(['BalanceTouched', 'BalanceRead', 'ActivitySettled', 'TransactionTaken']);

const openApp = async (make: () => Promise<{ open(): Promise<EventStore>; end?(): Promise<void> }>) => {
  const place = await make();
  const [events, stores] = await Promise.all([place.open(), openStores()]);
  await followChains(stores.state);
  const recorded: string[] = [];
  const limiter: Limiter = {
    ...stores.limiter,
    recordAnswer: async (_, __, answer) => void recorded.push(answer),
  };
  const app = composeApp({ ...stores, events, limiter }, { chains: quietChains });
  const stop = new AbortController();
  const projecting = supervise('projector', processOf(app, 'projector').run, stop.signal, testSystem);
  const close = async () => {
    stop.abort();
    await projecting;
    await Promise.all([events.close(), stores.close()]);
    await place.end?.();
  };
  return { app, events, limiter, recorded, close };
};

const newOrganization = async (app: App) => {
  const operator = { actor: { kind: 'operator', id: 'test' }, requestId: 'test' } as const;
  const { answer } = await app.organizations.create(operator, { name: 'o', domain: randomBytes(8).toString('hex') });
  return globalContext(operator, answer.organization_id).organizationId;
};

for (const [store, make] of Object.entries(eventStores))
  (store === 'sqlite' ? describe : describeInFull)(
    `a command whose answer was lost after its events were stored, on ${store}`,
    () => {
      let scene: Awaited<ReturnType<typeof openApp>>;
      before(async () => {
        scene = await openApp(make);
      });
      after(() => scene.close());

      const decisions = async () => (await allEvents(scene.events)).filter(({ type }) => !facts.has(type));

      const tryTwice = async (endpoint: Endpoint) => {
        const { app, events, limiter } = scene;
        const { operation } = endpoint;
        if (operation.kind !== 'command') return assert.fail('expected a command, found a query');
        const { given, meanwhile } = rows[operation.name] ?? {};
        const own = createScene(app, events, endpoint, await newOrganization(app));
        const made = given ? await given(own) : {};
        const named = Object.keys((endpoint.request as { properties: object }).properties);
        const input = Object.fromEntries(
          Object.entries({ ...endpoint.example, ...made }).filter(([field]) => named.includes(field)),
        );
        const retry = {
          apiKey: own.by.actor.id,
          idempotencyKey: 'k',
          request: endpoint.path,
          confidential: operation.confidential === true,
        };
        const attempt = async () => {
          const done = await createIdempotency(limiter)(retry, (idSeed) =>
            operation.handle(app, input, { ...own.by, idSeed }),
          );
          assert.ok(await app.progress.reached(done.position, 120_000));
          return JSON.stringify(done.answer);
        };
        const first = await attempt();
        await meanwhile?.(own, input as never);
        const before = await decisions();
        scene.recorded.length = 0;
        const second = await attempt();
        return { first, second, again: (await decisions()).slice(before.length) };
      };

      for (const endpoint of commands)
        it(`gets the first answer and changes nothing when ${endpoint.path} is repeated`, async () => {
          const { first, second, again } = await tryTwice(endpoint);
          assert.equal(second, first);
          assert.deepEqual(again, []);
          for (const outcome of scene.recorded) assert.ok(outcome.startsWith('{"done"'), outcome);
        });

      it('leaves no idempotency key and no seed in plain text in its events', async () => {
        for (const { metadata } of await allEvents(scene.events))
          if (metadata.seed !== undefined) assert.match(metadata.seed, /^[0-9a-f]{32}$/);
        assert.ok((await allEvents(scene.events)).some(({ metadata }) => metadata.seed !== undefined));
      });
    },
  );
