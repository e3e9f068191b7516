import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, NewEvent, StreamWrite } from '../application/ports/event-store.js';
import { noStream } from '../application/ports/event-store.js';
import { includedBy } from '../application/read-models/progress.js';
import { deliveryIdFor, deliveryStream } from '../application/webhooks/deliveries.js';
import { openDeliveries } from '../projections/deliveries.js';
import { embedded, type Home } from '../tests/support/engines/engines.js';
import { noRedis, redisDatabase } from '../tests/support/engines/redis.js';
import { contextOf } from '../tests/support/following/following.js';
import { clientOf, demoOf, type Service, startService } from '../tests/support/service/service.js';
import { testSystem } from '../tests/support/silent.js';
import type { Bench, Figure } from './measure/figures.js';
import { startProgram } from './measure/peers.js';
import { inTurn } from './measure/rounds.js';

const deliveries = 2000;
/** Number of webhooks: more than one, because the concurrency of deliveries to one webhook is limited. */
const webhookCount = 8;
const pollIntervalMs = 20;
const programs = {
  receiver: new URL('./webhooks/receiver.ts', import.meta.url),
  posting: new URL('./webhooks/posting.ts', import.meta.url),
};

type Receiver = Awaited<ReturnType<typeof startProgram<string>>>;
/** Calls `go` and returns the rate at which deliveries arrive. */
const arrivals = async ({ child }: Receiver, go: () => unknown) => {
  child.send(deliveries);
  const all = once(child, 'message') as Promise<[{ ms: number }]>;
  await go();
  const [{ ms }] = await all;
  return (deliveries * 1000) / ms;
};

let serial = 0;
const requested = (organizationId: string, webhookId: string): StreamWrite => {
  const context = contextOf(organizationId);
  const deliveryId = deliveryIdFor(testSystem, context, ['bench', String(serial++)]);
  const event: NewEvent = {
    type: 'DeliveryRequested',
    data: { deliveryId, webhookId, notificationType: 'BENCH', data: { text: 'x'.repeat(600) } },
    id: testSystem.uuid(),
    metadata: {
      organizationId,
      variant: context.variant.tag,
      actor: { kind: 'process', id: 'bench' },
      requestId: 'bench',
      causationId: 'bench',
      correlationId: 'bench',
      occurredAt: new Date().toISOString(),
    },
  };
  return { stream: deliveryStream(context, deliveryId), expected: noStream, events: [event] };
};

/**
 * Waits until the read models include all events, and contain open deliveries if `isOpen` is true, none if it is false.
 */
const settled = async (home: Home, events: EventStore, isOpen: boolean) => {
  const readModels = await home.readModels();
  const isSo = async () => {
    const isThere = includedBy(await readModels.checkpoint()) >= (await events.head());
    return isThere && (await readModels.scan(openDeliveries)).length > 0 === isOpen;
  };
  while (!(await isSo())) await sleep(pollIntervalMs);
  await readModels.close();
};

/** Requests all deliveries while the deliverer is suspended. */
const ask = async ({ home }: Service, events: EventStore, webhooks: readonly string[]) => {
  const { organizationId } = demoOf(home);
  for (let n = 0; n < deliveries; n += 100)
    await events.append(
      Array.from({ length: 100 }, (_, i) => requested(organizationId, webhooks[(n + i) % webhooks.length] ?? '')),
    );
  await settled(home, events, true);
};

/** Starts the service in two processes: the deliverer, and one for the other roles. */
const openService = async (receiver: Receiver, extra: Record<string, string>) => {
  const env = { CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true', ...extra };
  const main = await startService({ on: embedded, role: 'api,projector', env });
  const events = await main.home.events();
  const webhooks: string[] = [];
  for (let i = 0; i < webhookCount; i++) {
    const registered = { webhook_endpoint: `${receiver.firstMessage}${i}`, confirmation: 1 };
    webhooks.push((await clientOf(main).c.registerWebhook(registered)).webhook_id);
  }
  const deliverer = await startService({ on: main.home, role: 'deliverer', env });
  return {
    deliver: async () => {
      await settled(main.home, events, false);
      // The deliverer is suspended, not restarted, because the program that it is compared with keeps running too.
      deliverer.process.kill('SIGSTOP');
      await ask(main, events, webhooks);
      return arrivals(receiver, () => deliverer.process.kill('SIGCONT'));
    },
    close: async () => {
      await deliverer.stop();
      await events.close();
      await main.stop();
    },
  };
};

const settingsOf = ({ url, namespace }: { readonly url: string; readonly namespace: string }) => ({
  REDIS_URL: url,
  CHAINFOLD_NAMESPACE: namespace,
});

/** Compares deliveries, which are signed and recorded on disk, with signed requests that are not recorded. */
export const webhooks: Bench = async function* (): AsyncIterable<Figure> {
  const receiver = await startProgram<string>(programs.receiver);
  const redis = noRedis === null ? (await redisDatabase()).url : null;
  const loop = await startProgram(programs.posting, ['loop', receiver.firstMessage]);
  const jobs = redis === null ? null : await startProgram(programs.posting, ['jobs', receiver.firstMessage, redis]);
  const own = await openService(receiver, {});
  const queued = redis === null ? null : await openService(receiver, settingsOf(await redisDatabase()));
  const found = await inTurn(
    {
      loop: () => arrivals(receiver, () => loop.child.send(deliveries)),
      own: own.deliver,
      jobs: jobs && (() => arrivals(receiver, () => jobs.child.send(deliveries))),
      queued: queued?.deliver ?? null,
    },
    3,
  );
  const unit = '/s';
  const ceiling = { what: 'undici posting, signed, 50 at once', ...found.loop };
  const { value: measured, spread } = found.own;
  yield { what: 'webhook deliveries, embedded queue', measured, unit, spread, ceiling, atLeast: 0.5 };
  if (queued) {
    const figure = {
      what: 'webhook deliveries, BullMQ',
      measured: found.queued.value,
      unit,
      spread: found.queued.spread,
    };
    yield { ...figure, ceiling, atLeast: 0.3 };
    yield { ...figure, ceiling: { what: 'BullMQ posting, nothing recorded', ...found.jobs } };
  }
  for (const one of [loop, jobs, receiver]) one?.close();
  await Promise.all([own.close(), queued?.close()]);
};
