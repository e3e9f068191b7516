import { resolve } from 'node:path';
import { configuredFault } from '../application/gateway/configured-methods.js';
import type { RequestLogPolicy } from '../application/ports/tracing/requests.js';
import { chainFamilies, chains, type Family, type Variant } from '../domain/variant.js';
import { families, familyOf, schemesOf } from './chains/families.js';
import { byGateway, type GatewayTerms, gatewayTerms, requireEnoughNodes } from './settings/gateway-settings.js';
import type { MemoryBudget } from './settings/memory-budget.js';
import { logLevels } from './settings/table.js';
import { type TracingSettings, tracingSettings } from './settings/tracing-settings.js';
import {
  bad,
  count,
  days,
  flag,
  host,
  isOn,
  masterKey,
  mebibytes,
  memory,
  milliseconds,
  namespace,
  oneOf,
  port,
  requestLog,
  requestTimeout,
  seconds,
  token,
  webUrl,
} from './settings/values.js';

type ChainSetting = {
  readonly tag: Variant['tag'];
  readonly urls: readonly string[] | 'off' | 'unset';
  /**
   * Age in seconds at which the newest block of the chain raises an alarm; 0 for never, undefined for the default of
   * the family.
   */
  readonly oldHeadSeconds: number | undefined;
  /** URLs of nodes that serve blocks which the other nodes have pruned. */
  readonly archive?: readonly string[];
};

export type Config = {
  readonly host: string;
  readonly port: number;
  /** Port for health and metrics in processes without the role `api`; undefined for no port. */
  readonly healthPort: number | undefined;
  readonly dataDirectory: string;
  /** Master key; undefined to use the file master.key in the data directory. */
  readonly masterKey: Uint8Array | undefined;
  /**
   * Previous master key, which older data keys are still wrapped with; undefined unless the master key is being
   * rotated.
   */
  readonly previousMasterKey: Uint8Array | undefined;
  /** Milliseconds after which a request fails if a store does not respond; all deadlines derive from this value. */
  readonly requestTimeoutMs: number;
  readonly demo: boolean;
  readonly production: boolean;
  readonly metricsToken: string | undefined;
  readonly logLevel: string;
  readonly requestLog: RequestLogPolicy;
  /** Settings of the export of traces; undefined if no traces are exported. */
  readonly tracing: TracingSettings | undefined;
  /** URL of EventStoreDB or KurrentDB. Like `mongodbUrl` and `redisUrl`, undefined for an embedded store (SQLite). */
  readonly eventStoreUrl: string | undefined;
  readonly mongodbUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** Prefix of the names of streams, databases and keys on the servers; empty for no prefix. */
  readonly namespace: string;
  readonly chains: readonly ChainSetting[];
  /**
   * Node URLs of gateways that do not use the nodes of their chain, keyed by gateway address (`<segment>/<network>`).
   */
  readonly gateways: Readonly<Record<string, readonly string[]>>;
  readonly gatewayTerms: Readonly<Record<string, GatewayTerms>>;
  /** Names of the additional methods of each gateway, keyed by gateway address (`<segment>/<network>`). */
  readonly gatewayMethods: Readonly<Record<string, readonly string[]>>;
  /** Maximum size in bytes of the cache of final answers that processes share; 0 disables it. */
  readonly gatewayCacheBytes: number;
  /** Limits of the caches of this process. */
  readonly memory: MemoryBudget;
  /** Milliseconds between blocks of a development chain; 0 mines only on request and when a transaction arrives. */
  readonly developmentBlockMs: number;
  /** True if URLs of webhooks, token documents and witnesses may lead to private addresses. */
  readonly allowPrivate: boolean;
  /** True if a webhook endpoint on a host that is new to the organization must answer a challenge. */
  readonly challengeEndpoints: boolean;
  /** True if notifications are also signed with the deprecated key that all webhooks share. */
  readonly sharedWebhookKey: boolean;
  /** Maximum number of concurrent deliveries to one webhook. */
  readonly webhookConcurrency: number;
  readonly ipfsGateway: string | undefined;
  /** Seconds after which a sent transaction that is not mined counts as stuck. */
  readonly stuckSeconds: number;
  /**
   * Seconds after which a block that no node returns is skipped. Only time in which the nodes report their head counts.
   */
  readonly unreadableBlockSeconds: number;
  /** Seconds between two comparisons of all balances with the nodes; 0 for no comparisons. */
  readonly reconcileSeconds: number;
  /** Maximum number of events that one query of a past state (as-of query) may replay. */
  readonly asOfEvents: number;
  /** Milliseconds for which an entry of the access log is kept. */
  readonly accessLogMs: number;
  /**
   * File to which the signed heads of the seal log are appended; undefined for none. `witnessUrl` is a URL to which the
   * heads are posted.
   */
  readonly witnessFile: string | undefined;
  readonly witnessUrl: string | undefined;
};

type Environment = Readonly<Record<string, string | undefined>>;

const hasScheme = (url: string, schemes: readonly string[]) =>
  URL.canParse(url) && schemes.includes(new URL(url).protocol.slice(0, -1));

const archiveFamilies = chainFamilies.filter((family) => families[family].hasArchives);

type NodeRule = {
  readonly families: readonly Family[];
  /** Reason why nodes of other families cannot be used, for the error message. */
  readonly reason: string;
  readonly otherwise?: string;
};

const nodeUrls = (
  name: string,
  value: string,
  { families: known, reason, otherwise = '' }: NodeRule,
): readonly string[] => {
  const urls = value.split(',').map((url) => url.trim());
  const schemes = schemesOf(known);
  const isNode = (url: string) => hasScheme(url, schemes) && new URL(url).hostname !== '';
  const rule = `node URLs separated by commas, under ${schemes.map((scheme) => `${scheme}://`).join(', ')}`;
  const invalidIndex = urls.findIndex((url) => !isNode(url));
  const which = urls.length > 1 ? `; URL ${invalidIndex + 1} of ${urls.length} is invalid` : '';
  if (invalidIndex >= 0) {
    const isOther =
      !hasScheme(urls[invalidIndex] ?? '', schemes) && hasScheme(urls[invalidIndex] ?? '', schemesOf(chainFamilies));
    return bad(name, `must be ${otherwise}${rule}${which}${isOther ? `: ${reason}` : ''}`);
  }
  const [fault] = urls.flatMap((url) => families[familyOf(url)].urlFault?.(new URL(url)) ?? []);
  return fault === undefined ? urls : bad(name, fault);
};

const archiveUrls = (environment: Environment, { tag, nodeFamilies }: Variant, urls: readonly string[]) => {
  const name = `CHAIN_${tag}_ARCHIVE_URL`;
  const value = environment[name];
  if (value === undefined) return undefined;
  const [family] = urls.map(familyOf);
  if (!family) return bad(name, `needs CHAIN_${tag}_URL, the nodes to follow. Set it too`);
  if (!nodeFamilies.includes(family) || !families[family].hasArchives)
    return bad(
      name,
      `is supported only for ${archiveFamilies.join(', ')} nodes, but CHAIN_${tag}_URL has ${family} nodes`,
    );
  return nodeUrls(name, value, { families: [family], reason: `CHAIN_${tag}_URL has ${family} nodes` });
};

/** Rule for nodes behind a gateway, which only forwards EVM JSON-RPC. */
const gatewayNodes: NodeRule = { families: ['evm'], reason: 'the gateway supports only EVM nodes' };

const chain =
  (environment: Environment) =>
  (variant: Variant): ChainSetting => {
    const { tag, can, nodeFamilies } = variant;
    const [url, age] = [`CHAIN_${tag}_URL`, `CHAIN_${tag}_HEAD_AGE_SECONDS`];
    const [value, bound] = [environment[url], environment[age]];
    const reason = can.includes('gateway') ? gatewayNodes.reason : "other nodes lack fields of this chain's records";
    const rule = { families: nodeFamilies, reason, otherwise: '"off" or ' };
    const urls = value === undefined || value === 'off' ? (value ?? 'unset') : nodeUrls(url, value, rule);
    const archive = archiveUrls(environment, variant, typeof urls === 'object' ? urls : []);
    const oldHeadSeconds = bound === undefined ? undefined : seconds(age, bound);
    return { tag, urls, oldHeadSeconds, ...(archive && { archive }) };
  };

const methodNames = (name: string, value: string): readonly string[] => {
  const methods = value.split(',').map((one) => one.trim());
  for (const method of methods) {
    const fault = configuredFault(method);
    if (fault) return bad(name, `cannot offer ${JSON.stringify(method.slice(0, 80))}: it ${fault}`);
  }
  return methods;
};

const filePath = (value: string | undefined) => (value === undefined ? undefined : resolve(value));

const engine = (environment: Environment, name: string, schemes: readonly string[]) => {
  const value = environment[name];
  if (
    value === undefined ||
    schemes.some((scheme) => value.startsWith(`${scheme}://`) && value.length > scheme.length + 3)
  )
    return value;
  return bad(name, `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
};

const gatewayUrls = ({ gateways, chains }: Config, tag: Variant['tag'], address: string): readonly string[] => {
  const urls = gateways[address] ?? chains.find((one) => one.tag === tag)?.urls;
  return typeof urls === 'object' ? urls : [];
};

/**
 * Rejects a shared vault without a configured master key, because other machines do not have this machine's key file.
 */
const requireSharedKey = ({ masterKey, mongodbUrl }: Config) => {
  if (mongodbUrl !== undefined && masterKey === undefined)
    bad('CHAINFOLD_MASTER_KEY', 'is needed with MONGODB_URL: all processes must use the same key');
};

/** Reads and validates all settings at startup. Throws BadSetting for the first invalid one. */
export const readConfig = (given: Environment): Config => {
  // Variables with an empty value count as not set, because Compose files pass an empty string for an unset variable.
  const environment: Environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const config: Config = {
    host: host('CHAINFOLD_HOST', environment.CHAINFOLD_HOST),
    port: port('CHAINFOLD_PORT', environment.CHAINFOLD_PORT),
    healthPort:
      environment.CHAINFOLD_HEALTH_PORT === undefined
        ? undefined
        : port('CHAINFOLD_HEALTH_PORT', environment.CHAINFOLD_HEALTH_PORT),
    dataDirectory: resolve(environment.CHAINFOLD_DATA_DIR ?? '.chainfold'),
    masterKey: masterKey('CHAINFOLD_MASTER_KEY', environment.CHAINFOLD_MASTER_KEY),
    previousMasterKey: masterKey('CHAINFOLD_PREVIOUS_MASTER_KEY', environment.CHAINFOLD_PREVIOUS_MASTER_KEY),
    requestTimeoutMs: requestTimeout('CHAINFOLD_REQUEST_TIMEOUT_MS', environment.CHAINFOLD_REQUEST_TIMEOUT_MS),
    demo: flag('CHAINFOLD_DEMO', environment.CHAINFOLD_DEMO, true),
    production: environment.NODE_ENV === 'production',
    metricsToken: token('CHAINFOLD_METRICS_TOKEN', environment.CHAINFOLD_METRICS_TOKEN),
    logLevel: oneOf('CHAINFOLD_LOG_LEVEL', environment.CHAINFOLD_LOG_LEVEL ?? 'info', logLevels),
    requestLog: requestLog('CHAINFOLD_REQUEST_LOG', environment.CHAINFOLD_REQUEST_LOG),
    tracing: tracingSettings(environment),
    eventStoreUrl: engine(environment, 'EVENTSTORE_URL', ['esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover']),
    mongodbUrl: engine(environment, 'MONGODB_URL', ['mongodb', 'mongodb+srv']),
    redisUrl: engine(environment, 'REDIS_URL', ['redis', 'rediss']),
    namespace: namespace('CHAINFOLD_NAMESPACE', environment.CHAINFOLD_NAMESPACE),
    chains: chains.map(chain(environment)),
    gateways: byGateway(environment, 'URLS', (name, value) => nodeUrls(name, value, gatewayNodes)),
    gatewayTerms: gatewayTerms(environment, { reject: bad, count }),
    gatewayCacheBytes: mebibytes('CHAINFOLD_GATEWAY_CACHE_MB', environment.CHAINFOLD_GATEWAY_CACHE_MB ?? '256'),
    memory: memory('CHAINFOLD_MEMORY_MB', environment.CHAINFOLD_MEMORY_MB),
    gatewayMethods: byGateway(environment, 'METHODS', methodNames),
    developmentBlockMs: milliseconds('CHAINFOLD_DEV_BLOCK_MS', environment.CHAINFOLD_DEV_BLOCK_MS ?? '1000'),
    allowPrivate: flag('CHAINFOLD_WEBHOOK_ALLOW_PRIVATE', environment.CHAINFOLD_WEBHOOK_ALLOW_PRIVATE, false),
    challengeEndpoints: isOn('CHAINFOLD_WEBHOOK_CHALLENGE', environment.CHAINFOLD_WEBHOOK_CHALLENGE, 'off'),
    sharedWebhookKey: isOn('CHAINFOLD_WEBHOOK_SHARED_KEY', environment.CHAINFOLD_WEBHOOK_SHARED_KEY, 'on'),
    webhookConcurrency: count('CHAINFOLD_WEBHOOK_CONCURRENCY', environment.CHAINFOLD_WEBHOOK_CONCURRENCY ?? '8'),
    stuckSeconds: seconds('CHAINFOLD_STUCK_SECONDS', environment.CHAINFOLD_STUCK_SECONDS ?? '600'),
    unreadableBlockSeconds: seconds(
      'CHAINFOLD_UNREADABLE_BLOCK_SECONDS',
      environment.CHAINFOLD_UNREADABLE_BLOCK_SECONDS ?? '600',
    ),
    reconcileSeconds: seconds('CHAINFOLD_RECONCILE_SECONDS', environment.CHAINFOLD_RECONCILE_SECONDS ?? '86400'),
    accessLogMs: days('CHAINFOLD_ACCESS_LOG_DAYS', environment.CHAINFOLD_ACCESS_LOG_DAYS),
    asOfEvents: count('CHAINFOLD_AS_OF_EVENTS', environment.CHAINFOLD_AS_OF_EVENTS ?? '1000000'),
    ipfsGateway: webUrl('CHAINFOLD_IPFS_GATEWAY', environment.CHAINFOLD_IPFS_GATEWAY),
    witnessFile: filePath(environment.CHAINFOLD_WITNESS_FILE),
    witnessUrl: webUrl('CHAINFOLD_WITNESS_URL', environment.CHAINFOLD_WITNESS_URL),
  };
  requireSharedKey(config);
  requireEnoughNodes(config.gatewayTerms, (tag, address) => gatewayUrls(config, tag, address), bad);
  if (config.previousMasterKey && !config.masterKey)
    bad('CHAINFOLD_PREVIOUS_MASTER_KEY', 'needs CHAINFOLD_MASTER_KEY to be the new key');
  return config;
};
