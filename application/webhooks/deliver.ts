import { fold } from '../../domain/decider.js';
import { type Delivery, type DeliveryCommand, delivery, gone } from '../../domain/delivery.js';
import { webhook } from '../../domain/webhook.js';
import { webhookHealth } from '../../projections/webhooks.js';
import { type Context, type Handle, type Step, scopeFor, step } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { EventStore } from '../ports/event-store.js';
import type { Job, JobOutcome, Jobs } from '../ports/jobs.js';
import type { ReadModels } from '../ports/read-models.js';
import type { LetterSigner, Reception, Sender } from '../ports/sender.js';
import type { System } from '../ports/system.js';
import { deliveryStep, deliveryStream, placeOf } from './deliveries.js';
import { createDoubts } from './failing-receivers.js';
import type { WebhookHeaders } from './headers.js';
import { createTargets, type Target } from './target-cache.js';
import { type Webhooks, webhookKey } from './webhooks.js';

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

type Attempt = Extract<DeliveryCommand, { type: 'Attempt' }>['data'];
type Past = Delivery & { readonly stream: Awaited<ReturnType<EventStore['read']>> };

const atOnce = 200;
const perLane = 8;
const doubtedAgainMs = 2000;
const notYetAgainMs = 200;
export const patienceMs = 5 * 86_400_000;
/** How long a process that is to end waits for answers; receivers may take longer than whoever stops it. */
const lastAnswersMs = 5000;

const letterOf = ({ request, stream }: Past) =>
  JSON.stringify({
    webhook_history_id: request?.deliveryId,
    webhook_id: request?.webhookId,
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

  /** Decides by what was read before the post, and says what has become of the delivery. */
  const attempted = async (context: Context, known: Past, data: Attempt): Promise<Delivery> => {
    const attempt = deliveryStep(context, data.deliveryId, { type: 'Attempt', data });
    let after: Delivery = known;
    const decideAndSee: Step['decide'] = (past) => {
      const decided = attempt.decide(past);
      after = fold(delivery, [...past, ...decided] as never);
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
    return { ...fold(delivery, stream.events as never), stream };
  };
  return { read, record };
};

/** Posts what is asked for and records what became of it. */
export const createDeliverer = (ports: Ports) => {
  const { events, handle, jobs, sender, signer, system } = ports;
  const { read, record } = createRecording(ports);
  const targets = createTargets(ports);
  const doubts = createDoubts();
  let isOver = false;

  const contextOf = (deliveryId: string): Context | null => {
    const place = placeOf(deliveryId);
    return place && { ...place, actor: { kind: 'process', id: 'deliverer' }, requestId: deliveryId };
  };
  const post = ({ id }: Job, body: string, { endpoint, secret, headers }: Target) => {
    const timestamp = Math.floor(system.now() / 1000);
    const signature = signer.sign(secret, { id, timestamp, body });
    return sender.post({ url: endpoint, headers, body, id, timestamp, signature });
  };

  /** There is no document: it was removed, or the read models do not have it yet. */
  const withoutWebhook = async (context: Context, { id, lane }: Job): Promise<JobOutcome> => {
    const { state } = await readAggregate(events, webhook, context.organizationId, webhookKey(context, lane));
    if (state !== 'removed') return { again: system.now() + notYetAgainMs };
    await handle(context, [deliveryStep(context, id, { type: 'Cancel', data: { deliveryId: id, webhookId: lane } })]);
    return 'done';
  };

  const attempt = async (context: Context, job: Job, known: Past, target: Target): Promise<JobOutcome> => {
    if (!doubts.begin(job.lane)) return { again: system.now() + doubtedAgainMs };
    let answered = false;
    try {
      const reception = await post(job, letterOf(known), target);
      answered = reception.status !== null;
      // We hung up: it says nothing of the receiver, and whoever goes on posts it again.
      if (isOver && !answered) return { again: system.now() };
      return await record(context, job, known, reception);
    } finally {
      doubts.end(job.lane, answered);
    }
  };

  const deliver = async (job: Job): Promise<JobOutcome> => {
    const context = contextOf(job.id);
    if (!context) return 'done';
    const known = await read(context, job.id);
    if (known.state !== 'pending' && known.state !== 'retrying') return 'done';
    if (known.nextAt > system.now()) return { again: known.nextAt };
    const target = await targets.find(context, job.lane);
    if (!target) return withoutWebhook(context, job);
    // It waits until the webhook is revived, which puts it into the queue again.
    return target.disabled ? 'done' : attempt(context, job, known, target);
  };

  const hangUpAfter = async (ms: number, ended: AbortSignal) => {
    await system.sleep(ms, ended);
    isOver = true;
    await sender.close();
  };
  return async (signal: AbortSignal): Promise<void> => {
    const ended = new AbortController();
    signal.addEventListener('abort', () => void hangUpAfter(lastAnswersMs, ended.signal), { once: true });
    await jobs.work({ run: deliver, atOnce, perLane }, signal).finally(() => ended.abort());
  };
};
