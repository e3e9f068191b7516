import { type SubscriptionName, subscriptionNames } from '../../application/gateway/params.js';
import { networks, variants } from '../../domain/variant.js';
import { notificationExampleOf } from '../operations/examples/answers.js';
import { createComponents, type Json } from './components.js';
import { subscriptionSchemas } from './subscription-schemas.js';
import { describedNotification, describedNotifications, notificationHeaders, notifications } from './webhooks.js';

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const refer = (...path: string[]) => ({ $ref: `#/${path.join('/')}` });
const text = (description: string) => ({ type: 'string', description });
const constant = (value: string, description: string) => ({ type: 'string', const: value, description });
const object = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const walletApis = variants.filter(({ surface }) => surface === 'wallet');
const headerSchema = object(
  Object.fromEntries(
    Object.entries(notificationHeaders).map(([name, { description, schema }]) => [name, { ...schema, description }]),
  ),
);

/** Describes the webhooks of each wallet API as a channel, with the endpoint of the webhook as its address. */
const createWebhookParts = (schemaOf: (one: (typeof notifications)[number]) => Json) => {
  const messagesOf = (api: string) =>
    notifications
      .filter(({ variant }) => variant.segment === api)
      .map((one) => {
        const { name, about, schema } = one.notification;
        const message = {
          name,
          title: name,
          summary: about,
          contentType: 'application/json',
          headers: headerSchema,
          payload: schemaOf(one),
          examples: [{ name: `${api}${name}`, payload: notificationExampleOf(one.variant, schema) }],
        };
        return [name, message] as const;
      });
  const channels = walletApis.map(({ segment }) => [
    `${segment}Webhook`,
    {
      address: '{webhook_endpoint}',
      title: `Webhooks of API ${segment}`,
      description: 'A signed POST to the endpoint that RegisterWebhook names. Any 2xx answer accepts the notification.',
      parameters: {
        webhook_endpoint: { description: 'URL of the receiver.', examples: ['https://example.com/hooks'] },
      },
      messages: Object.fromEntries(messagesOf(segment)),
      bindings: { http: { bindingVersion: '0.3.0' } },
    },
  ]);
  const operations = walletApis.map(({ segment }) => [
    `${segment}Notify`,
    {
      action: 'send',
      title: `Notify webhooks of API ${segment}`,
      description: 'Delivers each notification at least once, with retries.',
      channel: refer('channels', `${segment}Webhook`),
      bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
    },
  ]);
  return { channels: Object.fromEntries(channels), operations: Object.fromEntries(operations) };
};

const jsonRpc = constant('2.0', 'Version of JSON-RPC.');
const callId = { type: ['string', 'number', 'null'], description: 'Id of the call, repeated in the answer.' };

const requestOf = (name: SubscriptionName) => {
  const options = subscriptionSchemas[name].options;
  return object({
    jsonrpc: jsonRpc,
    id: callId,
    method: constant('evm_subscribe', 'Method of the call; `eth_subscribe` is accepted too.'),
    params: {
      type: 'array',
      description: options ? 'Name of the subscription, and optionally its options.' : 'Name of the subscription.',
      items: [{ type: 'string', const: name }, ...(options ? [options] : [])],
      minItems: 1,
      maxItems: 2,
    },
  });
};
const pushOf = (name: SubscriptionName) =>
  object({
    jsonrpc: jsonRpc,
    method: constant('evm_subscription', 'Method of the message; `eth_subscription` after `eth_subscribe`.'),
    params: {
      ...object({ subscription: text('Id of the subscription.'), result: subscriptionSchemas[name].result }),
      description: 'Subscription and result.',
    },
  });
const subscribed = object({ jsonrpc: jsonRpc, id: callId, result: text('Id of the subscription.') });

const messageOf = (name: string, summary: string, payload: object) => [
  name,
  { name, title: name, summary, contentType: 'application/json', payload },
];

/** Describes the subscriptions of the gateway, which share one WebSocket channel. */
const createGatewayParts = () => {
  const inChannel = (name: string) => refer('channels', 'gateway', 'messages', name);
  const messages = subscriptionNames.flatMap((name) => [
    messageOf(`${name}Subscribe`, `Subscribes to ${name}.`, requestOf(name)),
    messageOf(`${name}Push`, subscriptionSchemas[name].about, pushOf(name)),
  ]);
  const operations = subscriptionNames.flatMap((name) => [
    [
      `subscribe${capitalized(name)}`,
      {
        action: 'receive',
        description: `Subscribes to ${name}.`,
        channel: refer('channels', 'gateway'),
        messages: [inChannel(`${name}Subscribe`)],
        reply: { channel: refer('channels', 'gateway'), messages: [inChannel('subscribed')] },
      },
    ],
    [
      `push${capitalized(name)}`,
      {
        action: 'send',
        description: subscriptionSchemas[name].about,
        channel: refer('channels', 'gateway'),
        messages: [inChannel(`${name}Push`)],
      },
    ],
  ]);
  const gateway = {
    address: '/{chain}/{network}/v1/ws/{api_key}',
    title: 'Node gateway',
    description: 'JSON-RPC 2.0 over WebSocket. /openrpc.json describes all methods.',
    servers: [refer('servers', 'gateway')],
    parameters: {
      chain: {
        description: 'API of the chain.',
        enum: variants.filter(({ can }) => can.includes('gateway')).map(({ segment }) => segment),
      },
      network: { description: 'Network of the chain.', enum: networks },
      api_key: { description: 'API key or gateway token.' },
    },
    messages: Object.fromEntries([...messages, messageOf('subscribed', 'Answers a subscription.', subscribed)]),
  };
  return { channels: { gateway }, operations: Object.fromEntries(operations) };
};

/**
 * Describes as AsyncAPI 3 what the service pushes: notifications to webhooks, and events of subscriptions.
 */
export const asyncApi = (version: string): object => {
  const components = createComponents(describedNotifications());
  const webhooks = createWebhookParts((one) => components.refer(describedNotification(one)));
  const gateway = createGatewayParts();
  return {
    asyncapi: '3.1.0',
    id: 'urn:chainfold',
    defaultContentType: 'application/json',
    info: {
      title: 'chainfold events',
      version,
      description:
        'Notifications that the service posts to webhooks, and events of WebSocket subscriptions of the node gateway.',
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT' },
      tags: [{ name: 'webhooks' }, { name: 'subscriptions' }],
    },
    servers: {
      gateway: {
        host: '{host}',
        protocol: 'ws',
        description: 'The service that serves this document.',
        variables: { host: { default: 'localhost:8080', description: 'Host of the service.' } },
      },
    },
    channels: { ...webhooks.channels, ...gateway.channels },
    operations: { ...webhooks.operations, ...gateway.operations },
    components: { schemas: components.schemas },
  };
};
