import { streamEndpoints } from '../http/notification-stream.js';
import { fieldText } from '../operations/field-texts.js';
import { type Endpoint, endpoints } from '../operations/index.js';
import type { Json } from './components.js';
import { problemResponsesOf, successHeaders } from './shared-parts.js';

const description =
  'Sends the notifications that ListNotifications lists, and then new ones as they arrive, as server-sent events: `id` is the `webhook_history_id`, `data` the notification as JSON. Sign the request with the method GET, the path with its query, and an empty body.';

const lastEventId = {
  name: 'last-event-id',
  in: 'header',
  required: false,
  description: 'The id of the last notification that was received. Overrides `after`.',
  schema: { type: 'string' },
  example: 'whd_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b',
};

/** Describes the fields of the request as query parameters. The values of a list are separated by commas. */
const queryOf = ({ operation, request }: Endpoint): Json[] =>
  Object.entries((request as { readonly properties: Readonly<Record<string, Json>> }).properties).map(
    ([name, schema]) => ({
      name,
      in: 'query',
      required: false,
      description: fieldText(operation.name, name),
      ...(schema.type === 'array' && { style: 'form', explode: false }),
      schema,
    }),
  );

const itemOf = (endpoint: Endpoint) => ({
  get: {
    operationId: `${endpoint.variant.segment}.StreamNotifications`,
    summary: 'Stream notifications as server-sent events.',
    description,
    tags: [endpoint.variant.segment],
    'x-extension': true,
    parameters: [{ $ref: '#/components/parameters/x-request-id' }, lastEventId, ...queryOf(endpoint)],
    responses: {
      200: {
        description: 'A stream that ends when the client closes it or the service stops.',
        headers: successHeaders,
        content: {
          'text/event-stream': {
            schema: { type: 'string', description: 'Server-sent events.' },
            example: 'id: whd_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b\ndata: {"webhook_history_id":"whd_0193…"}\n\n',
          },
        },
      },
      ...problemResponsesOf(endpoint),
    },
  },
});

/** Describes the notification stream of each wallet API. */
export const streamPaths = () =>
  Object.fromEntries(streamEndpoints(endpoints).map((endpoint) => [endpoint.path, itemOf(endpoint)]));
