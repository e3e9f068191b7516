import { fold } from '../../domain/decider.js';
import { type Delivery, delivery, gone } from '../../domain/delivery.js';
import { webhook } from '../../domain/webhook.js';
import { webhookHealth } from '../../projections/webhooks.js';
import { scopeFor } from '../address-book.js';
import { deliveryStep, deliveryStream, placeOf } from '../deliveries.js';
import { type Context, type Handle, step } from '../handle.js';
import { type EventStore, type NewEvent, streamName } from '../ports/event-store.js';
import type { Job, JobOutcome, Jobs } from '../ports/jobs.js';
import type { ReadModels } from '../ports/read-models.js';
import type { LetterSigner, Reception, Sender } from '../ports/sender.js';
import type { System } from '../ports/system.js';
import { createDoubts } from '../receiver-doubts.js';
import type { WebhookHeaders } from '../webhook-headers.js';
import { type OpenWebhook, type Webhooks, webhookKey } from '../webhooks.js';

type Ports = {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly handle: Handle;
  readonly jobs: Jobs;
  readonly sender: Sender;
  readonly signer: LetterSigner;
  readonly webhooks: Webhooks;
  readonly headers: WebhookHeaders;
  readonly system: System;
};

const atOnce = 200;
const perLane = 8;
const doubtedAgainMs = 2000;
const notYetAgainMs = 200;
const patienceMs = 5 * 86_400_000;

const letterOf = (requested: NewEvent, { request }: Delivery) =>
  JSON.stringify({
    webhook_history_id: request?.deliveryId,
    webhook_id: request?.webhookId,
    notification_type: request?.notificationType,
    create_time: requested.metadata.occurredAt,
    data: request?.data,
  });

const createRecording = (ports: Ports) => {
  const { events, readModels, handle, system } = ports;
  const jitter = () => Number.parseInt(system.secret().slice(0, 8), 16) / 2 ** 32;

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

  const record = async (context: Context, { id, lane }: Job, reception: Reception): Promise<JobOutcome> => {
    const { retryAt, ...rest } = reception;
    const data = { deliveryId: id, webhookId: lane, ...rest, at: system.now(), jitter: jitter(), retryAt };
    await handle(context, [deliveryStep(context, id, { type: 'Attempt', data })]);
    const { state, nextAt } = await read(context, id);
    if (state === 'completed') return 'done';
    await disableIfHopeless(context, lane, reception);
    return state === 'retrying' ? { again: nextAt } : 'done';
  };
  const read = async (context: Context, deliveryId: string) => {
    const past = (await events.read(deliveryStream(context, deliveryId))).events;
    return { ...fold(delivery, past as never), past };
  };
  return { read, record };
};

/** Posts what is asked for and records what became of it. */
export const createDeliverer = (ports: Ports) => {
  const { events, handle, jobs, sender, signer, webhooks, headers, system } = ports;
  const { read, record } = createRecording(ports);
  const doubts = createDoubts();

  const contextOf = (deliveryId: string): Context | null => {
    const place = placeOf(deliveryId);
    return place && { ...place, actor: { kind: 'process', id: 'deliverer' }, requestId: deliveryId };
  };
  const post = async (context: Context, { id, lane }: Job, body: string, { endpoint, secret }: OpenWebhook) => {
    const timestamp = Math.floor(system.now() / 1000);
    const signature = signer.sign(secret, { id, timestamp, body });
    const own = await headers.inClear(context, lane);
    return sender.post({ url: endpoint, headers: own, body, id, timestamp, signature });
  };

  /** There is no document: it was removed, or the read models do not have it yet. */
  const withoutWebhook = async (context: Context, { id, lane }: Job): Promise<JobOutcome> => {
    const stream = streamName(context.organizationId, webhook.stream, webhookKey(context, lane));
    const { state } = fold(webhook, (await events.read(stream)).events as never);
    if (state !== 'removed') return { again: system.now() + notYetAgainMs };
    await handle(context, [deliveryStep(context, id, { type: 'Cancel', data: { deliveryId: id, webhookId: lane } })]);
    return 'done';
  };

  const attempt = async (context: Context, job: Job, body: string, target: OpenWebhook): Promise<JobOutcome> => {
    if (!doubts.begin(job.lane)) return { again: system.now() + doubtedAgainMs };
    let answered = false;
    try {
      const reception = await post(context, job, body, target);
      answered = reception.status !== null;
      return await record(context, job, reception);
    } finally {
      doubts.end(job.lane, answered);
    }
  };

  const deliver = async (job: Job): Promise<JobOutcome> => {
    const context = contextOf(job.id);
    if (!context) return 'done';
    const { past, ...known } = await read(context, job.id);
    const [requested] = past;
    if (!requested || (known.state !== 'pending' && known.state !== 'retrying')) return 'done';
    if (known.nextAt > system.now()) return { again: known.nextAt };
    const target = await webhooks.find(context, job.lane);
    if (!target) return withoutWebhook(context, job);
    // It waits until the webhook is revived, which puts it into the queue again.
    return target.disabled ? 'done' : attempt(context, job, letterOf(requested, known), target);
  };

  return (signal: AbortSignal): Promise<void> => jobs.work({ run: deliver, atOnce, perLane }, signal);
};
