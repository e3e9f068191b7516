import { defaultRequestTimeoutMs, requestTimeoutBounds } from '../deadlines.js';
import { chainSettings, gatewaySettings } from './chain-settings.js';
import { memoryMebibytes } from './memory-budget.js';
import type { Setting } from './setting.js';
import { tracingRows } from './tracing-settings.js';
import { accessLogDays } from './values.js';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const port = { kind: 'number', min: 0, max: 65_535 } as const;
const amount = { kind: 'number', min: 0, max: 999_999_999 } as const;
const onOff = { kind: 'choice', allowed: ['on', 'off'] } as const;

const common: readonly Setting[] = [
  { name: 'CHAINFOLD_HOST', kind: 'text', byDefault: '127.0.0.1', description: 'Address to listen on.' },
  { name: 'CHAINFOLD_PORT', ...port, byDefault: 8080, description: 'Port of the API; 0 takes a free one.' },
  {
    name: 'CHAINFOLD_HEALTH_PORT',
    ...port,
    description: 'Port of health and metrics in processes without the role api; 0 takes a free one.',
  },
  {
    name: 'CHAINFOLD_REQUEST_TIMEOUT_MS',
    kind: 'number',
    ...requestTimeoutBounds,
    byDefault: defaultRequestTimeoutMs,
    description: 'Milliseconds that a request waits for an unresponsive store before it gets 503.',
  },
  {
    name: 'CHAINFOLD_DATA_DIR',
    kind: 'text',
    byDefault: '.chainfold',
    description: 'Directory of the embedded stores.',
  },
  {
    name: 'CHAINFOLD_CONFIG_DIR',
    kind: 'text',
    byDefault: '.',
    description: 'Directory of chainfold.config.json and .env. Only in the environment.',
  },
  {
    name: 'CHAINFOLD_MASTER_KEY',
    kind: 'text',
    isSecret: true,
    description: 'Key that all secrets are encrypted under: 32 bytes in hex or base64.',
  },
  {
    name: 'CHAINFOLD_PREVIOUS_MASTER_KEY',
    kind: 'text',
    isSecret: true,
    description: 'The old key while CHAINFOLD_MASTER_KEY is being changed.',
  },
  { name: 'CHAINFOLD_DEMO', kind: 'flag', byDefault: true, description: 'False: no demo organization.' },
  {
    name: 'CHAINFOLD_METRICS_TOKEN',
    kind: 'text',
    isSecret: true,
    description: 'Bearer token with which other machines read /metrics.',
  },
  {
    name: 'CHAINFOLD_LOG_LEVEL',
    kind: 'choice',
    allowed: logLevels,
    byDefault: 'info',
    description: 'Least level of log lines that are written.',
  },
  {
    name: 'CHAINFOLD_REQUEST_LOG',
    kind: 'text',
    byDefault: 'all',
    description: 'Requests that are logged: all, refused, off, or sampled:N for one of N and all refused ones.',
  },
  {
    name: 'CHAINFOLD_MEMORY_MB',
    kind: 'number',
    min: memoryMebibytes.min,
    max: memoryMebibytes.max,
    byDefault: memoryMebibytes.byDefault,
    description: 'Size in MiB of all caches of one process together.',
  },
  { name: 'CHAINFOLD_API_KEY', kind: 'text', description: 'API key with which chainfold call signs.' },
  { name: 'CHAINFOLD_API_SECRET', kind: 'text', isSecret: true, description: 'Secret of CHAINFOLD_API_KEY.' },
  {
    name: 'CHAINFOLD_GATEWAY_CACHE_MB',
    kind: 'number',
    min: 0,
    max: 999_999,
    byDefault: 256,
    description: 'Size in MiB of the cache of final answers that processes share; 0 disables it.',
  },
  {
    name: 'CHAINFOLD_STUCK_SECONDS',
    ...amount,
    byDefault: 600,
    description: 'Seconds after which a sent transaction that is in no block counts as stuck.',
  },
  {
    name: 'CHAINFOLD_UNREADABLE_BLOCK_SECONDS',
    ...amount,
    byDefault: 600,
    description: 'Seconds after which an unreadable block is skipped.',
  },
  {
    name: 'CHAINFOLD_RECONCILE_SECONDS',
    ...amount,
    byDefault: 86_400,
    description: 'Seconds between two comparisons of all balances with the nodes; 0 turns them off.',
  },
  {
    name: 'CHAINFOLD_ACCESS_LOG_DAYS',
    kind: 'number',
    ...accessLogDays,
    description: 'Days for which reads of secrets and refused requests are kept for ListAccess.',
  },
  {
    name: 'CHAINFOLD_AS_OF_EVENTS',
    ...amount,
    min: 1,
    byDefault: 1_000_000,
    description: 'Maximum number of events that an answer to x-as-of may read.',
  },
  {
    name: 'CHAINFOLD_DEV_BLOCK_MS',
    kind: 'number',
    min: 0,
    max: 2 ** 31 - 1,
    byDefault: 1000,
    description: 'Block interval of the development chains in milliseconds; 0: a block on request.',
  },
  {
    name: 'CHAINFOLD_IPFS_GATEWAY',
    kind: 'text',
    description: 'URL prefix for reading ipfs: metadata of tokens.',
  },
  {
    name: 'CHAINFOLD_WEBHOOK_ALLOW_PRIVATE',
    kind: 'flag',
    byDefault: false,
    description: 'True: URLs of customers and token contracts may lead to private networks.',
  },
  {
    name: 'CHAINFOLD_WEBHOOK_CHALLENGE',
    ...onOff,
    byDefault: 'off',
    description: "On: an organization's first webhook for a host must answer a challenge.",
  },
  {
    name: 'CHAINFOLD_WEBHOOK_SHARED_KEY',
    ...onOff,
    byDefault: 'on',
    description: 'Off: notifications are no longer signed under the deprecated key of all webhooks as well.',
  },
  {
    name: 'CHAINFOLD_WEBHOOK_CONCURRENCY',
    ...amount,
    min: 1,
    byDefault: 8,
    description: 'Maximum number of concurrent notifications to one webhook.',
  },
  {
    name: 'CHAINFOLD_WITNESS_FILE',
    kind: 'text',
    description: 'File to which each signed head of the seal log is appended.',
  },
  {
    name: 'CHAINFOLD_WITNESS_URL',
    kind: 'text',
    isSecret: true,
    description: 'URL to which each signed head of the seal log is posted.',
  },
  {
    name: 'EVENTSTORE_URL',
    kind: 'text',
    isSecret: true,
    description: 'URL of EventStoreDB or KurrentDB for the events; embedded if absent.',
  },
  {
    name: 'MONGODB_URL',
    kind: 'text',
    isSecret: true,
    description: 'URL of a MongoDB replica set for read models, vault and process state; embedded if absent.',
  },
  {
    name: 'REDIS_URL',
    kind: 'text',
    isSecret: true,
    description: 'URL of Redis for nonces, rate limits, queues and caches; embedded if absent.',
  },
  {
    name: 'CHAINFOLD_NAMESPACE',
    kind: 'text',
    description: 'Prefix of streams, databases and keys on servers that services share.',
  },
  {
    name: 'NODE_ENV',
    kind: 'text',
    description: '"production": no demo organization, no development chain, webhooks over https only.',
  },
];

/**
 * All settings, in the order in which the help lists them. Each is an environment variable and a key of
 * `chainfold.config.json`.
 */
export const settings: readonly Setting[] = [...common, ...tracingRows, ...chainSettings, ...gatewaySettings];

export const settingNames: ReadonlySet<string> = new Set(settings.map(({ name }) => name));
