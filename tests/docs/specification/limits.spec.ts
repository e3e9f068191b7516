import assert from 'node:assert/strict';
import { nonceWindowMs } from '../../../application/access/request-nonces.js';
import { partSize } from '../../../application/assets/changed-balances.js';
import { maxUnread } from '../../../application/gateway/backpressure.js';
import { maxChanges, maxFilters, unusedMs } from '../../../application/gateway/filters.js';
import { maxBlocks } from '../../../application/gateway/log-range.js';
import { addressesHeld, addressesPerPage } from '../../../application/wallets/wallets.js';
import { disableAfterMs } from '../../../application/webhooks/deliver.js';
import { rotationOverlapMs } from '../../../application/webhooks/registration/secrets.js';
import { maxChoices, maxTopics } from '../../../domain/log-filter.js';
import { defaultQuotas, headersPerWebhook } from '../../../domain/quota.js';
import { maxAnswerLength } from '../../../infrastructure/gateway-nodes/link.js';
import { defaultPoolOptions } from '../../../infrastructure/gateway-nodes/pool.js';
import { maxReasonLength } from '../../../infrastructure/nodes/node-fault.js';
import { answerTtlMs as keptOnRedis } from '../../../infrastructure/redis/limiter.js';
import { answerTtlMs } from '../../../infrastructure/sqlite/limiter/limiter.js';
import { defaultDeadlineMs, maxRetryAfterMs } from '../../../infrastructure/webhooks/sender.js';
import { maxPings, maxUnanswered, maxUnread as maxUnreadAnswers } from '../../../interfaces/gateway/connection.js';
import { defaultStallTimeoutMs, bodyLimit as gatewayBodyLimit } from '../../../interfaces/gateway/http.js';
import { maxCalls, maxNameLength } from '../../../interfaces/gateway/json-rpc.js';
import { maxBatchBytes } from '../../../interfaces/gateway/load.js';
import { maxWaiting } from '../../../interfaces/gateway/outbox.js';
import { maxDepth as maxGatewayDepth } from '../../../interfaces/gateway/scan.js';
import { maxSubscriptions } from '../../../interfaces/gateway/subscriptions.js';
import { maxFragments, maxMessageBytes, pingIntervalMs } from '../../../interfaces/gateway/websocket.js';
import { maxContainers, maxDepth, maxKeys, maxNumberLength } from '../../../interfaces/http/body.js';
import { largeAtOnce, stallTimeoutMs as largePatienceMs } from '../../../interfaces/http/large-answer.js';
import { consistencyMs, inFlight } from '../../../interfaces/http/operations.js';
import { bodyLimit } from '../../../interfaces/http/signed-request.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import { serverTimeouts } from '../../../interfaces/server/listener.js';
import { maxKeptAttempts } from '../../../projections/deliveries.js';
import { readPage } from '../../support/docs/markdown.js';
import type { AnySchema } from '../../support/docs/schema-words.js';

const mebibytes = (bytes: number) => `${bytes / 1_048_576} MiB`;
const seconds = (ms: number) => `${ms / 1000} s`;
const minutes = (ms: number) => `${ms / 60_000} min`;
const hours = (ms: number) => `${ms / 3_600_000} h`;
const days = (ms: number) => `${ms / 86_400_000} days`;

/** Returns the schema of an operation's field, which must be the same on every API. */
const field = (operation: string, name: string): AnySchema => {
  const found = endpoints
    .filter((one) => one.operation.name === operation)
    .flatMap(({ request }) => (request as AnySchema).properties?.[name] ?? []);
  const [first, ...others] = found.map((schema) => JSON.stringify(schema));
  assert.ok(first && others.every((one) => one === first), `${operation} must have the same ${name} on every API`);
  return JSON.parse(first);
};
const lengths = ({ minLength, maxLength }: AnySchema) => `${minLength}..${maxLength} characters`;
const range = ({ minimum, maximum }: AnySchema) => `${minimum}..${maximum}`;
const maxLengthOf = ({ maxLength }: AnySchema) => `${maxLength} characters`;

const { minimum, maximum, default: pageSize } = field('ListWallets', 'page_size');
const batch = field('BatchRegisterAddresses', 'addresses');

const inCode: Readonly<Record<string, string>> = {
  page_size: `${minimum}..${maximum}, ${pageSize} when absent`,
  'addresses in a batch': `${batch.minItems}..${batch.maxItems}`,
  'transaction hashes in ListTransactions': `${field('ListTransactions', 'transaction_hashes').maxItems}`,
  'addresses on a page of ListWallets': `${addressesPerPage}, then the page ends early`,
  'addresses that RefreshAssetBalances reads before it answers': `${partSize.addresses}`,
  'balances that RefreshAssetBalances reads before it answers': `${partSize.balances}, or those of one address`,
  'name of a wallet': lengths(field('RegisterWallet', 'name')),
  'name of an organization': lengths(field('CreateOrganization', 'name')),
  domain: lengths(field('GetOrganizationByDomain', 'domain')),
  header_key: maxLengthOf(field('RegisterWebhookHeader', 'header_key')),
  header_value: maxLengthOf(field('RegisterWebhookHeader', 'header_value')),
  webhook_endpoint: maxLengthOf(field('RegisterWebhook', 'webhook_endpoint')),
  'confirmation when absent': `${field('RegisterWallet', 'confirmation').default}`,
  confirmation: range(field('RegisterWallet', 'confirmation')),
  'body of an operation': mebibytes(bodyLimit),
  'nesting of a body': `${maxDepth}`,
  'lists and objects in a body': `${maxContainers}`,
  'keys in a body': `${maxKeys}`,
  'digits of a number in a body': `${maxNumberLength}`,
  'wait for the headers of a request': seconds(serverTimeouts.headersTimeout),
  'wait for a whole request': seconds(serverTimeouts.requestTimeout),
  "nonce off the server's clock": seconds(nonceWindowMs),
  'answers kept for an idempotency-key': hours(answerTtlMs),
  'wait for the read models': seconds(consistencyMs),
  'requests of an organization in progress, queries and commands each': `${inFlight.maxConcurrentPerKey}; ${inFlight.maxWaiting} more wait, others are 429`,
  [`answers with more than ${addressesHeld} addresses that an organization gets at the same time`]: `${largeAtOnce}, others wait`,
  'caller that takes no more of such an answer': `${seconds(largePatienceMs)}, then it is disconnected`,
  "answer of a webhook's receiver": seconds(defaultDeadlineMs),
  "retry-after of a webhook's receiver": hours(maxRetryAfterMs),
  'webhook that keeps failing, until it is disabled': days(disableAfterMs),
  'signatures with the old secret after RotateWebhookSecret': hours(rotationOverlapMs),
  'attempts of a notification that are listed': `${maxKeptAttempts}`,
  'body of a gateway request': mebibytes(gatewayBodyLimit),
  'message over WebSocket': mebibytes(maxMessageBytes),
  'parts of a message over WebSocket': `${maxFragments}`,
  'calls in a batch': `${maxCalls}`,
  'name of a method': `${maxNameLength} characters`,
  'nesting of a gateway request': `${maxGatewayDepth}`,
  'answer of a node': mebibytes(maxAnswerLength),
  'answers to a batch together': mebibytes(maxBatchBytes),
  'reason of a node': `${maxReasonLength} characters, then it says that it was cut`,
  'wait for nodes': seconds(defaultPoolOptions.deadlineMs),
  'blocks of evm_getLogs': `${maxBlocks}`,
  'topics of a filter': `${maxTopics}`,
  'addresses of a filter, or choices for a topic': `${maxChoices}`,
  'subscriptions of a connection': `${maxSubscriptions}`,
  'filters of a connection': `${maxFilters}`,
  'notifications that wait for a connection': `${maxWaiting}, then it is closed`,
  'notifications and answers that wait for all clients': `${mebibytes(maxUnread)}, then those with the most are closed`,
  'answers that wait for a connection': `${mebibytes(maxUnreadAnswers)}, then it is closed`,
  'client that takes nothing of an answer over HTTP': `${seconds(defaultStallTimeoutMs)}, then it is closed`,
  'unanswered messages of a connection': `${maxUnanswered}, then no more are read`,
  'changes that a filter collects': `${maxChanges}, then it is gone`,
  'filter that nobody asks': `${minutes(unusedMs)}, then it is gone`,
  "pings of a client between two of the service's": `${maxPings}, then it is closed`,
  'pings of the service': `every ${seconds(pingIntervalMs)}`,
};

describe('the limits of docs/specification.md', () => {
  const section = readPage('docs/specification.md').find(({ anchor }) => anchor === '11-limits');
  const rows = section?.tables[0]?.rows ?? [];

  it('match the limits of the code exactly', () => {
    const onPage = rows.map(({ limit = '', value = '' }) => [limit.replaceAll('`', ''), value]);
    assert.deepEqual(onPage, Object.entries(inCode));
  });

  it('include every quota with its default', () => {
    const onPage = section?.tables[1]?.rows.map(({ quota = '', default: limit }) => [quota.replaceAll('`', ''), limit]);
    assert.deepEqual(
      onPage,
      Object.entries(defaultQuotas).map(([quota, limit]) => [quota, String(limit)]),
    );
    const headers = section?.tables[1]?.rows.find(({ quota }) => quota === '`webhook_headers`');
    assert.match(headers?.counts ?? '', new RegExp(` ${headersPerWebhook} of its own$`));
  });

  it('are equal where the code defines one twice', () => {
    assert.equal(keptOnRedis, answerTtlMs);
    assert.equal(field('UpdateConfirmation', 'confirmation').default, field('RegisterWallet', 'confirmation').default);
    for (const operation of ['UpdateConfirmation', 'RegisterWebhook'])
      assert.equal(range(field(operation, 'confirmation')), range(field('RegisterWallet', 'confirmation')));
  });

  it('apply to every paginated list', () => {
    for (const { request, path } of endpoints) {
      const size = (request as AnySchema).properties?.page_size;
      if (size) assert.deepEqual(size, field('ListWallets', 'page_size'), path);
    }
  });
});
