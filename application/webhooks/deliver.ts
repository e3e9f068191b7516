import {
  type Delivery,
  type DeliveryCommand,
  type DeliveryEvent,
  delivery,
  statusGone,
} from '../../domain/aggregates/delivery.js';
import { webhook } from '../../domain/aggregates/webhook.js';
import { webhookHealth } from '../../projections/webhooks.js';
import { type Context, type Handle, type Step, scopeFor, step } from '../commands/handle.js';
import { foldStored } from '../commands/read-aggregate.js';
import type { EventStore, NewEvent } from '../ports/event-store.js';
import type { Job, JobOutcome, Jobs } from '../ports/jobs.js';
import type { ReadModels } from '../ports/read-models.js';
import type { PostResult, Sender, WebhookSigner } from '../ports/sender.js';
import type { System } from '../ports/system.js';
import { contextIn, noTracer, type SpanAttributes, type Tracer } from '../ports/tracing/tracer.js';
import type { Measure, Measurements } from '../processes/measurements.js';
import { deliveryStep, deliveryStream, placeOf } from './deliveries.js';
import { createDeliveryWindows } from './delivery-windows.js';
import type { WebhookHeaders } from './headers.js';
import { bodyOf } from './notification-body.js';
import { createWebhookTargetCache, type Target } from './target-cache.js';
import { webhookKey, webhookState } from './webhook-stream.js';
import type { Webhooks } from './webhooks.js';

type Ports = {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly handle: Handle;
  readonly jobs: Jobs;
  readonly sender: Sender;
  readonly signer: WebhookSigner;
  readonly webhooks: Webhooks;
  readonly headers: WebhookHeaders;
  /** Maximum number of concurrent deliveries to one webhook. */
  readonly webhookConcurrency: number;
  readonly measure: Measure;
  readonly system: System;
  readonly tracer?: Tracer;
};

type Attempt = Extract<DeliveryCommand, { type: 'Attempt' }>['data'];
type Past = Delivery & { readonly stream: Awaited<ReturnType<EventStore['read']>> };

/** Types of events that cause attempts to deliver. `attemptType` is the type of the event that records an attempt. */
const requests: ReadonlySet<string> = new Set<DeliveryEvent['type']>(['DeliveryRequested', 'DeliveryResent']);
const attemptType: DeliveryEvent['type'] = 'DeliveryAttempted';

const atOnce = 200;
/**
 * Maximum number of concurrent deliveries of one organization: a quarter of all workers, so that hanging receivers of
 * one organization leave workers to other organizations.
 */
const perOrganization = 50;
const overloadedRetryMs = 2000;
/** HTTP statuses of an overloaded receiver: no response (null), 429 Too Many Requests, 503 Service Unavailable. */
const overloadStatuses: ReadonlySet<number | null> = new Set([null, 429, 503]);
const recheckMs = 200;
export const disableAfterMs = 5 * 86_400_000;
/**
 * Maximum wait for responses at shutdown, in milliseconds. Shorter than the timeout of a delivery, because a process
 * supervisor would kill the process before that timeout.
 */
const shutdownGraceMs = 5000;

const payloadOf = ({ stream: { events } }: Past) => {
  const [requested] = events as readonly [NewEvent & { readonly data: NonNullable<Delivery['request']> }];
  return JSON.stringify(bodyOf(requested.data, requested.metadata));
};

/** Describes the span of an attempt, which belongs to the trace of the command that requested the delivery. */
const spanOf = ({ organizationId, variant }: Context, { id, lane }: Job, { stream: { events } }: Past) => {
  const requested = events.findLast(({ type }) => requests.has(type));
  return {
    kind: 'consumer',
    parent: contextIn(requested?.metadata.traceparent),
    attributes: {
      'chainfold.organization': organizationId,
      'chainfold.variant': variant.tag,
      'chainfold.delivery': id,
      'chainfold.webhook': lane,
      'chainfold.attempt': events.filter(({ type }) => type === attemptType).length + 1,
    },
  } as const;
};
const resultOf = ({ status, failure }: PostResult): SpanAttributes => ({
  'http.response.status_code': status ?? undefined,
  'error.type': status !== null && status < 300 ? undefined : String(status ?? failure),
});

const labelsOf = ({ state }: Delivery, { status }: PostResult): Measurements['delivery'] => ({
  outcome: state === 'completed' || state === 'retrying' ? state : 'failed',
  status: status === null ? 'none' : `${Math.floor(status / 100)}xx`,
});

const createRecording = (ports: Ports) => {
  const { events, readModels, handle, measure, system } = ports;
  const jitter = () => Number.parseInt(system.uuid().slice(-8), 16) / 2 ** 32;

  const disableIfHopeless = async (context: Context, webhookId: string, { status }: PostResult) => {
    const health = await readModels.get(webhookHealth, { scope: scopeFor(context), id: webhookId });
    const isHopeless = system.now() - (health?.failing_since ?? system.now()) > disableAfterMs;
    if (status !== statusGone && !isHopeless) return;
    const reason = status === statusGone ? 'the receiver said that it is gone' : 'there was no success for five days';
    await handle(context, [
      step(webhook, context.organizationId, webhookKey(context, webhookId), {
        type: 'Disable',
        data: { webhookId, reason },
      }),
    ]);
  };

  /**
   * Records an attempt and returns the new state of the delivery. Uses the delivery's stream as it was read before the
   * HTTP request (`known`).
   */
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
    reception: PostResult,
  ): Promise<JobOutcome> => {
    const data = { deliveryId: id, webhookId: lane, ...reception, at: system.now(), jitter: jitter() };
    const after = await attempted(context, known, data);
    measure('delivery', reception.durationMs / 1000, labelsOf(after, reception));
    const { state, nextAt } = after;
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

/**
 * Creates functions that cancel deliveries of removed webhooks and park deliveries of disabled webhooks: a parked
 * delivery gets no further attempts. The state of the webhook is read from its events, because the read models may be
 * behind.
 */
const createEnding = ({ events, handle, system }: Ports) => {
  const change = (context: Context, { id, lane }: Job, type: 'Cancel' | 'Park' | 'Unpark') =>
    handle(context, [deliveryStep(context, id, { type, data: { deliveryId: id, webhookId: lane } })]);
  const stateOf = (context: Context, { lane }: Job) => webhookState(events, context, lane);
  const soon = () => ({ again: system.now() + recheckMs });

  /**
   * Unparks a delivery if its webhook is active again, because a reactivation does not find deliveries that are still
   * being parked.
   */
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

/** Creates a process that sends queued deliveries and records the outcomes. */
export const createDeliverer = (ports: Ports) => {
  const { jobs, sender, signer, system, tracer = noTracer, webhookConcurrency: perLane } = ports;
  const { read, record } = createRecording(ports);
  const ending = createEnding(ports);
  const targets = createWebhookTargetCache(ports);
  const windows = createDeliveryWindows(perLane);
  let isClosed = false;

  const contextOf = (deliveryId: string): Context | null => {
    const place = placeOf(deliveryId);
    return place && { ...place, actor: { kind: 'process', id: 'deliverer' }, requestId: deliveryId };
  };
  const post = ({ organizationId }: Context, { id, lane }: Job, body: string, target: Target) => {
    const { endpoint, secret, previous, headers } = target;
    const now = system.now();
    const timestamp = Math.floor(now / 1000);
    const previousSecret = previous && previous.until > now ? previous.secret : undefined;
    const to = { organizationId, webhookId: lane, secret, previousSecret };
    const signature = signer.sign(to, { id, timestamp, body });
    return sender.post({ url: endpoint, headers, body, id, timestamp, signature });
  };

  const attempt = async (context: Context, job: Job, known: Past, target: Target): Promise<JobOutcome> => {
    if (!windows.begin(job.lane)) return { again: system.now() + overloadedRetryMs };
    let isOverloaded = true;
    try {
      const reception = await post(context, job, payloadOf(known), target);
      tracer.annotate(resultOf(reception));
      isOverloaded = overloadStatuses.has(reception.status);
      // The service closed the connection at shutdown, so the receiver did not fail. The delivery is sent again.
      if (isClosed && reception.status === null) return { again: system.now() };
      return await record(context, job, known, reception);
    } finally {
      windows.end(job.lane, isOverloaded);
    }
  };

  const proceed = async (context: Context, job: Job, known: Past): Promise<JobOutcome> => {
    if (known.nextAt > system.now()) return { again: known.nextAt };
    const target = await targets.find(context, job.lane);
    if (!target) return ending.cancel(context, job);
    if (target.disabled) return ending.park(context, job);
    const work = () => attempt(context, job, known, target);
    return tracer.isOn ? tracer.entry('deliver webhook', spanOf(context, job, known), work) : work();
  };
  const deliver = async (job: Job): Promise<JobOutcome> => {
    const context = contextOf(job.id);
    if (!context) return 'done';
    const known = await read(context, job.id);
    if (known.state === 'parked') return ending.parked(context, job);
    return known.state === 'pending' || known.state === 'retrying' ? proceed(context, job, known) : 'done';
  };

  const closeAfter = async (ms: number, ended: AbortSignal) => {
    await system.sleep(ms, ended);
    isClosed = true;
    await sender.close();
  };
  return async (signal: AbortSignal): Promise<void> => {
    const ended = new AbortController();
    signal.addEventListener('abort', () => void closeAfter(shutdownGraceMs, ended.signal), { once: true });
    await jobs.work({ run: deliver, atOnce, perOrganization, perLane }, signal).finally(() => ended.abort());
  };
};
