import { toEventRecord } from '../../../application/audit/event-record.js';
import type { NewEvent, Recorded } from '../../../application/ports/event-store.js';
import type { AnsweredRequest, RefusedRequest } from '../../../application/ports/tracing/requests.js';
import { printable } from '../../../application/tracing/key-form.js';
import type { Trace, TracedDelivery } from '../../../application/tracing/tracing.js';
import type { DeliveryEvent } from '../../../domain/aggregates/delivery.js';
import type { LogLine } from './log-lines.js';

/**
 * Entry in the trace of a request, such as a log line or an event, as text and as fields. `time` is an ISO time; empty
 * if the time is not known.
 */
export type Entry = {
  readonly time: string;
  readonly kind: 'request' | 'log' | 'event' | 'delivery' | 'attempt';
  readonly text: string;
  readonly fields: object;
};

const iso = (time: number) => new Date(time).toISOString();

const requestEntry = (time: number, request: AnsweredRequest): Entry => {
  const { organizationId, key, operation, chain, calls, status, code, detail, ms, position } = request;
  const name = [chain, operation ?? (calls === undefined ? 'unknown operation' : `batch of ${calls} calls`)];
  const caller = [organizationId && `organization ${organizationId}`, key && `key ${key}`].filter(Boolean).join(', ');
  const outcome = `${status}${code === undefined ? '' : ` ${code}`} in ${ms} ms${detail ? `: ${detail}` : ''}`;
  return {
    time: iso(time),
    kind: 'request',
    text: `${name.filter(Boolean).join(' ')} → ${outcome}${caller && ` (${caller})`}`,
    fields: { organization_id: organizationId, key, operation, chain, calls, status, code, detail, ms, position },
  };
};

const messages: ReadonlySet<unknown> = new Set(['Request answered', 'Request refused']);
const inherent: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'requestId']);

const logEntry = ({ text, fields }: LogLine): Entry => {
  if (!fields) return { time: '', kind: 'log', text, fields: { line: text } };
  const { time, msg } = fields;
  if (messages.has(msg)) return requestEntry(Number(time), fields as unknown as AnsweredRequest);
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !inherent.has(name)));
  return {
    time: typeof time === 'number' ? iso(time) : '',
    kind: 'log',
    text: `${msg} ${JSON.stringify(rest)}`,
    fields: { message: msg, ...rest },
  };
};

const eventEntry = (event: Recorded): Entry => ({
  time: iso(event.time),
  kind: 'event',
  text: `${event.type} at position ${event.position} in ${event.stream}`,
  fields: { event: toEventRecord(event) },
});

type OfDelivery = { readonly webhook_history_id: string; readonly webhook_id: string };

const attemptEntry = (
  of: OfDelivery,
  data: Extract<DeliveryEvent, { type: 'DeliveryAttempted' }>['data'],
  number: number,
) => {
  const { at, status, failure, durationMs, outcome, nextAt } = data;
  const next = nextAt === null ? '' : `, next attempt at ${iso(nextAt)}`;
  return {
    time: iso(at),
    kind: 'attempt' as const,
    text: `${of.webhook_history_id} attempt ${number}: ${status ?? failure} in ${durationMs} ms, ${outcome}${next}`,
    fields: {
      ...of,
      attempt: number,
      status_code: status,
      failure,
      duration_ms: durationMs,
      outcome,
      next_attempt_time: nextAt === null ? null : iso(nextAt),
    },
  };
};

const deliveryEntries = ({ deliveryId, events }: TracedDelivery): readonly Entry[] => {
  let attempts = 0;
  return events.map((given): Entry => {
    const event = given as NewEvent & DeliveryEvent;
    const of = { webhook_history_id: deliveryId, webhook_id: event.data.webhookId };
    if (event.type === 'DeliveryAttempted') return attemptEntry(of, event.data, ++attempts);
    const text = `${deliveryId} ${event.type} for webhook ${event.data.webhookId}`;
    return { time: event.metadata.occurredAt, kind: 'delivery', text, fields: { ...of, type: event.type } };
  });
};

/**
 * Returns true if the log lines already include this refused request. Callers skip such requests, so that they are not
 * listed twice.
 */
const isLogged = ({ time, status, ms }: RefusedRequest, logged: readonly LogLine[]) =>
  logged.some(
    ({ fields }) => fields?.status === status && fields.ms === ms && Math.abs(Number(fields.time) - time) < 1000,
  );

/** Lists the entries in the trace of a request, oldest first. */
export const entriesOf = ({ refused, events, deliveries }: Trace, logged: readonly LogLine[]): readonly Entry[] => {
  const shown = new Set(deliveries.flatMap((one) => one.events.map(({ id }) => id)));
  const entries = [
    ...logged.map(logEntry),
    ...refused.filter((one) => !isLogged(one, logged)).map((one) => requestEntry(one.time, one)),
    ...events.filter(({ id }) => !shown.has(id)).map(eventEntry),
    ...deliveries.flatMap(deliveryEntries),
  ];
  return entries
    .map((one) => ({ ...one, text: printable(one.text) }))
    .sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));
};
