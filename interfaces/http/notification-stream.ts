import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../../application/app.js';
import type { MaybePromise } from '../../application/async/maybe-promise.js';
import type { Caller, Shape } from '../operations/define.js';
import type { Endpoint } from '../operations/index.js';
import { listNotifications } from '../operations/webhooks/notifications.js';
import type { Headers } from './answer.js';
import { drained, stallTimeoutMs } from './large-answer.js';
import { headerOf } from './signed-request.js';

/** Maximum number of notifications that a stream reads from the stores at once. */
const notificationsAtOnce = 100;

/**
 * Time without a notification after which a comment line is sent, to show clients and proxies that the connection is
 * alive.
 */
const idleMs = 15_000;
/** Time that a client is asked to wait before it reconnects after its connection was lost. */
const retryMs = 2000;

/**
 * Returns the endpoint `GET /v1/{api}/notifications/stream` of each wallet API. The stream accepts the filters of
 * ListNotifications.
 */
export const streamEndpoints = (endpoints: readonly Endpoint[]) =>
  endpoints
    .filter(({ operation }) => operation.name === listNotifications.name)
    .map((endpoint) => {
      const { properties, ...schema } = endpoint.request as { readonly properties: Readonly<Record<string, object>> };
      const { wait_seconds, page_size, ...filters } = properties;
      const path = `/v1/${endpoint.variant.segment}/notifications/stream`;
      return { ...endpoint, path, request: { ...schema, properties: filters }, isStream: true as const };
    });

/** Reads the filters from the query string. The header `last-event-id` of a reconnecting client overrides `after`. */
export const fieldsIn = (request: IncomingMessage): object => {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  const { notification_types: types, ...fields } = Object.fromEntries(searchParams);
  const lastEventId = headerOf(request, 'last-event-id');
  return {
    ...fields,
    ...(types !== undefined && { notification_types: types.split(',') }),
    ...(lastEventId && { after: lastEventId }),
  };
};

const begin = (response: ServerResponse, requestId: string, headers: Headers) => {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Keeps nginx from buffering notifications.
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    ...headers,
  });
  response.setTimeout(stallTimeoutMs, () => response.destroy());
  response.write(`retry: ${retryMs}\n\n`);
};

const eventText = (notification: { readonly webhook_history_id: string }) =>
  `id: ${notification.webhook_history_id}\ndata: ${JSON.stringify(notification)}\n\n`;

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly headers: Headers };

/**
 * Creates a function that writes notifications as server-sent events until the client disconnects, its credential is
 * deleted, its session ends or the service stops.
 */
export const createNotificationStream =
  (app: App) =>
  async (
    { response, headers }: Exchange,
    fields: object,
    by: Caller,
    lasts: () => MaybePromise<boolean>,
  ): Promise<void> => {
    const { after, notification_types: types, wallet_id: walletId } = fields as Shape<typeof listNotifications.request>;
    const wanted = { after, types, walletId, size: notificationsAtOnce };
    const isCancelled = () => response.destroyed;
    for await (const { notifications } of app.notifications.follow({ ...by, isCancelled }, wanted, idleMs)) {
      if (!response.headersSent) begin(response, by.requestId, headers);
      by.touch?.(notifications.length);
      const text = notifications.map(eventText).join('') || ': idle\n\n';
      if (!response.write(text)) await drained(response);
      if (!(await lasts())) break;
    }
    response.end();
  };
