import assert from 'node:assert/strict';
import { nonceWindowMs } from '../../../application/access/authenticate.js';
import { beforeAnswering } from '../../../application/assets/balances.js';
import { mostChanges, mostFilters, unusedMs } from '../../../application/gateway/filters.js';
import { mostBlocks } from '../../../application/gateway/log-range.js';
import { addressesPerPage } from '../../../application/wallets/wallets.js';
import { patienceMs } from '../../../application/webhooks/deliver.js';
import { mostChoices, mostTopics } from '../../../domain/log-filter.js';
import { longestAnswer } from '../../../infrastructure/gateway-nodes/link.js';
import { usual } from '../../../infrastructure/gateway-nodes/pool.js';
import { answerKeptMs as keptOnRedis } from '../../../infrastructure/redis/limiter.js';
import { answerKeptMs } from '../../../infrastructure/sqlite/limiter.js';
import { answerWithinMs, longestWaitMs } from '../../../infrastructure/webhooks/sender.js';
import { mostPings, mostUnanswered, mostUnread as mostUnreadAnswers } from '../../../interfaces/gateway/connection.js';
import { bodyLimit as gatewayBodyLimit } from '../../../interfaces/gateway/http.js';
import { longestName, mostCalls } from '../../../interfaces/gateway/json-rpc.js';
import { mostWaiting } from '../../../interfaces/gateway/outbox.js';
import { deepest } from '../../../interfaces/gateway/scan.js';
import { mostSubscriptions } from '../../../interfaces/gateway/subscriptions.js';
import { longestMessage, mostFragments, mostUnread, pingEveryMs } from '../../../interfaces/gateway/websocket.js';
import { maxContainers, maxDepth, maxKeys, maxNumberLength } from '../../../interfaces/http/body.js';
import { bodyLimit, consistencyMs } from '../../../interfaces/http/operations.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import { patience } from '../../../interfaces/server/server.js';
import { readPage } from '../../support/markdown.js';
import type { AnySchema } from '../../support/schema-words.js';

const mebibytes = (bytes: number) => `${bytes / 1_048_576} MiB`;
const seconds = (ms: number) => `${ms / 1000} s`;
const minutes = (ms: number) => `${ms / 60_000} min`;
const hours = (ms: number) => `${ms / 3_600_000} h`;
const days = (ms: number) => `${ms / 86_400_000} days`;

/** A field of an operation, the same wherever it has it. */
const field = (operation: string, name: string): AnySchema => {
  const found = endpoints
    .filter((one) => one.operation.name === operation)
    .flatMap(({ request }) => (request as AnySchema).properties?.[name] ?? []);
  const [first, ...others] = found.map((schema) => JSON.stringify(schema));
  assert.ok(first && others.every((one) => one === first), `${operation} ${name}`);
  return JSON.parse(first);
};
const lengths = ({ minLength, maxLength }: AnySchema) => `${minLength}..${maxLength} characters`;
const longest = ({ maxLength }: AnySchema) => `${maxLength} characters`;

const { minimum, maximum, default: pageSize } = field('ListWallets', 'page_size');
const batch = field('BatchRegisterAddresses', 'addresses');

const inCode: Readonly<Record<string, string>> = {
  page_size: `${minimum}..${maximum}, ${pageSize} when absent`,
  'addresses in a batch': `${batch.minItems}..${batch.maxItems}`,
  'transaction hashes in ListTransactions': `${field('ListTransactions', 'transaction_hashes').maxItems}`,
  'addresses on a page of ListWallets': `${addressesPerPage}, then the page ends early`,
  'addresses that RefreshAssetBalances reads before it answers': `${beforeAnswering}`,
  'name of a wallet': lengths(field('RegisterWallet', 'name')),
  'name of an organization': lengths(field('CreateOrganization', 'name')),
  domain: lengths(field('GetOrganizationByDomain', 'domain')),
  header_key: longest(field('RegisterWebhookHeader', 'header_key')),
  header_value: longest(field('RegisterWebhookHeader', 'header_value')),
  webhook_endpoint: longest(field('RegisterWebhook', 'webhook_endpoint')),
  'confirmation when absent': `${field('RegisterWallet', 'confirmation').default}`,
  'body of an operation': mebibytes(bodyLimit),
  'nesting of a body': `${maxDepth}`,
  'lists and objects in a body': `${maxContainers}`,
  'keys in a body': `${maxKeys}`,
  'digits of a number in a body': `${maxNumberLength}`,
  'wait for the headers of a request': seconds(patience.headersTimeout),
  'wait for a whole request': seconds(patience.requestTimeout),
  "nonce off the server's clock": seconds(nonceWindowMs),
  'answers kept for an idempotency-key': hours(answerKeptMs),
  'wait for the read models': seconds(consistencyMs),
  "answer of a webhook's receiver": seconds(answerWithinMs),
  "retry-after of a webhook's receiver": hours(longestWaitMs),
  'webhook that keeps failing, until it is disabled': days(patienceMs),
  'body of a gateway request': mebibytes(gatewayBodyLimit),
  'message over WebSocket': mebibytes(longestMessage),
  'parts of a message over WebSocket': `${mostFragments}`,
  'calls in a batch': `${mostCalls}`,
  'name of a method': `${longestName} characters`,
  'nesting of a gateway request': `${deepest}`,
  'answer of a node': mebibytes(longestAnswer),
  'wait for nodes': seconds(usual.deadlineMs),
  'blocks of evm_getLogs': `${mostBlocks}`,
  'topics of a filter': `${mostTopics}`,
  'addresses of a filter, or choices for a topic': `${mostChoices}`,
  'subscriptions of a connection': `${mostSubscriptions}`,
  'filters of a connection': `${mostFilters}`,
  'notifications that wait for a connection': `${mostWaiting}, then it is closed`,
  'notifications that wait for all connections': `${mebibytes(mostUnread)}, then those with the most are closed`,
  'answers that wait for a connection': `${mebibytes(mostUnreadAnswers)}, then it is closed`,
  'unanswered messages of a connection': `${mostUnanswered}, then no more are read`,
  'changes that a filter collects': `${mostChanges}, then it is gone`,
  'filter that nobody asks': `${minutes(unusedMs)}, then it is gone`,
  "pings of a client between two of the service's": `${mostPings}, then it is closed`,
  'pings of the service': `every ${seconds(pingEveryMs)}`,
};

describe('the limits of docs/specification.md', () => {
  const section = readPage('docs/specification.md').find(({ anchor }) => anchor === '11-limits');
  const rows = section?.tables[0]?.rows ?? [];

  it('are those of the code, and all of them', () => {
    const onPage = rows.map(({ limit = '', value = '' }) => [limit.replaceAll('`', ''), value]);
    assert.deepEqual(onPage, Object.entries(inCode));
  });

  it('hold alike where a limit is kept in two places', () => {
    assert.equal(keptOnRedis, answerKeptMs);
    assert.equal(field('UpdateConfirmation', 'confirmation').default, field('RegisterWallet', 'confirmation').default);
  });

  it('hold for every list that has pages', () => {
    for (const { request, path } of endpoints) {
      const size = (request as AnySchema).properties?.page_size;
      if (size) assert.deepEqual(size, field('ListWallets', 'page_size'), path);
    }
  });
});
