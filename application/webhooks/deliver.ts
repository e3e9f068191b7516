import { type Delivery, type DeliveryCommand, delivery, gone } from '../../domain/aggregates/delivery.js';
import { webhook } from '../../domain/aggregates/webhook.js';
import { webhookHealth } from '../../projections/webhooks.js';
import { type Context, type Handle, type Step, scopeFor, step } from '../commands/handle.js';
import { foldStored } from '../commands/read-aggregate.js';
import type { EventStore } from '../ports/event-store.js';
import type { Job, JobOutcome, Jobs } from '../ports/jobs.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Reception, Sender, WebhookSigner } from '../ports/sender.js';
import type { System } from '../ports/system.js';
import { deliveryStep, deliveryStream, placeOf } from './deliveries.js';
import { createWindows } from './failing-receivers.js';
import type { WebhookHeaders } from './headers.js';
import { createWebhookTargetCache, type Target } from './target-cache.js';
import { type Webhooks, webhookKey, webhookState } from './webhooks.js';

type Ports = {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly handle: Handle;
  readonly jobs: Jobs;
  readonly sender: Sender;
  readonly signer: WebhookSigner;
  readonly webhooks: Webhooks;
  readonly headers: WebhookHeaders;
  /** Limit of the deliveries under way to one webhook. */
  readonly webhookConcurrency: number;
  readonly system: System;
};

type Attempt = Extract<DeliveryCommand, { type: 'Attempt' }>['data'];
type Past = Delivery & { readonly stream: Awaited<ReturnType<EventStore['read']>> };

const atOnce = 200;
/** A quarter of all places, so that receivers of one organization that hang leave places to the others. */
const perOrganization = 50;
const overloadedAgainMs = 2000;
/** No answer, Too Many Requests, Service Unavailable. */
const signsOfOverload: ReadonlySet<number | null> = new Set([null, 429, 503]);
const notYetAgainMs = 200;
export const patienceMs = 5 * 86_400_000;
/** Wait for answers when the process is stopped: shorter than receivers may take, since a supervisor would kill it. */
const lastAnswersMs = 5000;

const letterOf = ({ organizationId }: Context, { request, stream }: Past) =>
  JSON.stringify({
    webhook_history_id: request?.deliveryId,
    webhook_id: request?.webhookId,
    organization_id: organizationId,
    notification_type: request?.notificationType,
    create_time: stream.events[0]?.metadata.occurredAt,
    data: request?.data,
  });

const createRecording = (ports: Ports) => {
  const { events, readModels, handle, system } = ports;
  const jitter = () => Number.parseInt(system.uuid().slice(-8), 16) / 2 ** 32;

  const disableIfHopeless = async (context: Context, webhookId: string, { status }: Reception) => {
    const health = await readModels.get(webhookHealth, { scope: scopeFor(context), id: webhookId });
    const isHopeless = system.now() - (health?.failing_since ?? system.now()) > patienceMs;
    if (status !== gone && !isHopeless) return;
    const reason = status === gone ? 'the receiver said that it is gone' : 'there was no success for five days';
    await handle(context, [
      step(webhook, context.organizationId, webhookKey(context, webhookId), {
        type: 'Disable',
        data: { webhookId, reason },
      }),
    ]);
  };

  /** Records an attempt, using the stream that was read before the post, and returns the delivery afterwards. */
  const attempted = async (context: Context, known: Past, data: Attempt): Promise<Delivery> => {
    const attempt = deliveryStep(context, data.deliveryId, { type: 'Attempt', data });
    let after: Delivery = known;
    const decideAndSee: Step['decide'] = (past) => {
      const decided = attempt.decide(past);
      after = foldStored(delivery, [...past, ...decided]);
      return decided;
    };
    await handle(context, [{ ...attempt, known: known.stream, decide: decideAndSee }]);
    return after;
  };
  const record = async (
    context: Context,
    { id, lane }: Job,
    known: Past,
    reception: Reception,
  ): Promise<JobOutcome> => {
    const data = { deliveryId: id, webhookId: lane, ...reception, at: system.now(), jitter: jitter() };
    const { state, nextAt } = await attempted(context, known, data);
    if (state === 'completed') return 'done';
    await disableIfHopeless(context, lane, reception);
    return state === 'retrying' ? { again: nextAt } : 'done';
  };
  const read = async (context: Context, deliveryId: string): Promise<Past> => {
    const stream = await events.read(deliveryStream(context, deliveryId));
    return { ...foldStored(delivery, stream.events), stream };
  };
  return { read, record };
};

/** Ends deliveries whose webhook is removed or disabled, as the webhook's own events say: the read models may be behind. */
const createEnding = ({ events, handle, system }: Ports) => {
  const change = (context: Context, { id, lane }: Job, type: 'Cancel' | 'Park' | 'Unpark') =>
    handle(context, [deliveryStep(context, id, { type, data: { deliveryId: id, webhookId: lane } })]);
  const stateOf = (context: Context, { lane }: Job) => webhookState(events, context, lane);
  const soon = () => ({ again: system.now() + notYetAgainMs });

  /** Unparks a delivery whose webhook was revived just before the parking, since that revival did not find it parked. */
  const parked = async (context: Context, job: Job): Promise<JobOutcome> => {
    if ((await stateOf(context, job)) !== 'active') return 'done';
    await change(context, job, 'Unpark');
    return soon();
  };
  return {
    parked,
    park: async (context: Context, job: Job): Promise<JobOutcome> => {
      if ((await stateOf(context, job)) === 'active') return soon();
      await change(context, job, 'Park');
      return parked(context, job);
    },
    cancel: async (context: Context, job: Job): Promise<JobOutcome> => {
      if ((await stateOf(context, job)) !== 'removed') return soon();
      await change(context, job, 'Cancel');
      return 'done';
    },
  };
};

/** Posts requested deliveries and records the outcomes. */
export const createDeliverer = (ports: Ports) => {
  const { jobs, sender, signer, system, webhookConcurrency: perLane } = ports;
  const { read, record } = createRecording(ports);
  const ending = createEnding(ports);
  const targets = createWebhookTargetCache(ports);
  const windows = createWindows(perLane);
  let isOver = false;

  const contextOf = (deliveryId: string): Context | null => {
    const place = placeOf(deliveryId);
    return place && { ...place, actor: { kind: 'process', id: 'deliverer' }, requestId: deliveryId };
  };
  const post = ({ organizationId }: Context, { id, lane }: Job, body: string, target: Target) => {
    const { endpoint, secret, headers } = target;
    const timestamp = Math.floor(system.now() / 1000);
    const signature = signer.sign({ organizationId, webhookId: lane, secret }, { id, timestamp, body });
    return sender.post({ url: endpoint, headers, body, id, timestamp, signature });
  };

  const attempt = async (context: Context, job: Job, known: Past, target: Target): Promise<JobOutcome> => {
    if (!windows.begin(job.lane)) return { again: system.now() + overloadedAgainMs };
    let isOverloaded = true;
    try {
      const reception = await post(context, job, letterOf(context, known), target);
      isOverloaded = signsOfOverload.has(reception.status);
      // The service itself closed the connection, which is no failure of the receiver; the job is posted again.
      if (isOver && reception.status === null) return { again: system.now() };
      return await record(context, job, known, reception);
    } finally {
      windows.end(job.lane, isOverloaded);
    }
  };

  const goOn = async (context: Context, job: Job, known: Past): Promise<JobOutcome> => {
    if (known.nextAt > system.now()) return { again: known.nextAt };
    const target = await targets.find(context, job.lane);
    if (!target) return ending.cancel(context, job);
    return target.disabled ? ending.park(context, job) : attempt(context, job, known, target);
  };
  const deliver = async (job: Job): Promise<JobOutcome> => {
    const context = contextOf(job.id);
    if (!context) return 'done';
    const known = await read(context, job.id);
    if (known.state === 'parked') return ending.parked(context, job);
    return known.state === 'pending' || known.state === 'retrying' ? goOn(context, job, known) : 'done';
  };

  const hangUpAfter = async (ms: number, ended: AbortSignal) => {
    await system.sleep(ms, ended);
    isOver = true;
    await sender.close();
  };
  return async (signal: AbortSignal): Promise<void> => {
    const ended = new AbortController();
    signal.addEventListener('abort', () => void hangUpAfter(lastAnswersMs, ended.signal), { once: true });
    await jobs.work({ run: deliver, atOnce, perOrganization, perLane }, signal).finally(() => ended.abort());
  };
};
