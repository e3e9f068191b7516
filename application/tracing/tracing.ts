import { type WebhookDocument, webhooks } from '../../projections/webhooks.js';
import { mapInSlices } from '../async/slices.js';
import { scopeFor } from '../commands/handle.js';
import type { EventStore, NewEvent, Recorded } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { AccessLog } from '../ports/tracing/access-log.js';
import type { RefusedRequest, RefusedRequests, RequestLog } from '../ports/tracing/requests.js';
import { noTracer, type Tracer } from '../ports/tracing/tracer.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import { everyDocument } from '../read-models/paging.js';
import { notifiedEvents } from '../transactions/notify.js';
import { deliveryIdFor, deliveryStream, placeOf } from '../webhooks/deliveries.js';
import { deliveryContext } from '../webhooks/notifier.js';
import { type Accesses, createAccesses } from './accesses.js';
import { findEvents, rangeAround, type SearchRange, timeOfId } from './find-events.js';
import { createRequestRecorder, type RequestRecorder } from './record-requests.js';

/** Time (Unix ms) of a request, and its organization if known, as found in a log line. */
export type TraceHint = { readonly organizationId?: string | undefined; readonly time: number };

type TraceRequest = {
  readonly requestId: string;
  /**
   * Organization whose whole history is searched; absent to search only around the times of the hints and the request
   * id.
   */
  readonly organizationId?: string | undefined;
  readonly hints: readonly TraceHint[];
};

/** Delivery to a webhook that a request caused, with the events of its stream. */
export type TracedDelivery = { readonly deliveryId: string; readonly events: readonly NewEvent[] };

export type Trace = {
  readonly refused: readonly RefusedRequest[];
  readonly events: readonly Recorded[];
  readonly deliveries: readonly TracedDelivery[];
  /** Ranges of commit times that were searched for events. */
  readonly ranges: readonly SearchRange[];
};

export type Tracing = {
  /** Recorder of spans for OpenTelemetry. */
  readonly tracer: Tracer;
  readonly requests: RequestRecorder;
  readonly accesses: Accesses;
  /**
   * Collects what is stored about a request: its refusals, its events, and the webhook deliveries that these events
   * caused.
   */
  readonly trace: (wanted: TraceRequest) => Promise<Trace>;
};

export type RequestPorts = {
  readonly requestLog: RequestLog;
  readonly refusedRequests: RefusedRequests;
  readonly accessLog: AccessLog;
};
type Ports = RequestPorts & {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly system: System;
  readonly pageTokens: PageTokens;
  readonly tracer?: Tracer;
};

const deliveriesAtOnce = 16;
/**
 * Maximum age in milliseconds of searched events when neither the time nor the organization of a request is known.
 */
const recentMs = 86_400_000;

const rangesOf = ({ requestId, organizationId }: TraceRequest, hints: readonly TraceHint[], now: number) => {
  if (organizationId !== undefined) return [{ owner: organizationId, from: Number.NEGATIVE_INFINITY, until: now }];
  const time = timeOfId(requestId);
  const known = time === null ? hints : [...hints, { time, organizationId: hints[0]?.organizationId }];
  if (known.length === 0) return [{ owner: null, from: now - recentMs, until: now }];
  const ranges = known.map((hint) => rangeAround(hint.organizationId ?? null, hint.time));
  return ranges.filter(
    (one, at) => ranges.findIndex(({ owner, from }) => owner === one.owner && from === one.from) === at,
  );
};

/**
 * Creates a function that lists the ids of the deliveries to look up for an event: the delivery that the event names
 * or, for an event that webhooks are notified of, its possible delivery to each webhook of the API.
 */
const createDeliveryIds = ({ readModels, system }: Ports) => {
  const listeners = new Map<string, Promise<readonly WebhookDocument[]>>();
  const read = async (scope: string) => {
    const found: WebhookDocument[] = [];
    for await (const one of everyDocument(readModels, webhooks, scope)) found.push(one);
    return found;
  };
  return async (event: Recorded): Promise<readonly string[]> => {
    const { deliveryId } = event.data as { deliveryId?: unknown };
    if (typeof deliveryId === 'string') return [deliveryId];
    const context = notifiedEvents.has(event.type) ? deliveryContext(event) : null;
    if (!context) return [];
    const scope = scopeFor(context);
    const reading = listeners.get(scope) ?? read(scope);
    listeners.set(scope, reading);
    return (await reading).map(({ webhook_id }) => deliveryIdFor(system, context, [webhook_id, event.id]));
  };
};

export const createTracing = (ports: Ports): Tracing => {
  const { events, refusedRequests, system } = ports;

  const deliveriesOf = async (found: readonly Recorded[]): Promise<readonly TracedDelivery[]> => {
    const idsOf = createDeliveryIds(ports);
    const ids = (await mapInSlices(found, 1, idsOf)).flat();
    const deliveries = await mapInSlices([...new Set(ids)], deliveriesAtOnce, async (deliveryId) => {
      const place = placeOf(deliveryId);
      return { deliveryId, events: place ? (await events.read(deliveryStream(place, deliveryId))).events : [] };
    });
    return deliveries.filter((one) => one.events.length > 0);
  };

  return {
    tracer: ports.tracer ?? noTracer,
    requests: createRequestRecorder(ports),
    accesses: createAccesses(ports),
    trace: async (wanted) => {
      const refused = await refusedRequests.find(wanted.requestId);
      const ranges = rangesOf(wanted, [...wanted.hints, ...refused], system.now());
      const found = await findEvents(ports, wanted.requestId, ranges);
      return { refused, events: found, deliveries: await deliveriesOf(found), ranges };
    },
  };
};
