import { resolve } from 'node:path';
import { chains, type Family, type Variant } from '../domain/variant.js';
import { schemesOf } from './chains/families.js';

/** What went wrong with the configuration, in one line that names the setting. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
}

type ChainSetting = { readonly tag: Variant['tag']; readonly urls: readonly string[] | 'off' | 'unset' };

export type Config = {
  readonly host: string;
  readonly port: number;
  readonly dataDirectory: string;
  /** Undefined: kept in the data directory. */
  readonly masterKey: Uint8Array | undefined;
  /** While the master key is being changed. */
  readonly previousMasterKey: Uint8Array | undefined;
  readonly demo: boolean;
  readonly production: boolean;
  readonly metricsToken: string | undefined;
  readonly logLevel: string;
  /** Each undefined: embedded. */
  readonly eventStoreUrl: string | undefined;
  readonly mongodbUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly chains: readonly ChainSetting[];
  /** By `<segment>/<network>`, where not that of the chain. */
  readonly gateways: Readonly<Record<string, readonly string[]>>;
  /** 0: a block only when asked, or when a transaction arrives. */
  readonly developmentBlockMs: number;
  /** Whether what customers name may lie in a private network. */
  readonly allowPrivate: boolean;
  readonly ipfsGateway: string | undefined;
  /** After how long in no block a transaction that was sent counts as stuck. */
  readonly stuckSeconds: number;
  /** How many events an answer as of a moment may take. */
  readonly asOfEvents: number;
};

/** The network names that gateway addresses have. */
export const networks = ['mainnet', 'ropsten'] as const;

type Environment = Readonly<Record<string, string | undefined>>;

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const bad = (name: string, rule: string): never => {
  throw new BadSetting(`${name} ${rule}`);
};

const port = (name: string, value = '8080') =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : bad(name, 'must be a port from 0 to 65535');

const host = (name: string, value = '127.0.0.1') =>
  /^[A-Za-z0-9.:_-]+$/.test(value) ? value : bad(name, 'must be a host name or an IP address');

const flag = (name: string, value: string | undefined, byDefault: boolean) => {
  if (value === undefined) return byDefault;
  return value === 'true' || value === 'false' ? value === 'true' : bad(name, 'must be true or false');
};

const oneOf = (name: string, value: string, allowed: readonly string[]) =>
  allowed.includes(value) ? value : bad(name, `must be one of ${allowed.join(', ')}`);

const masterKey = (name: string, value: string | undefined) => {
  if (value === undefined) return undefined;
  if (/^[0-9a-fA-F]{64}$/.test(value)) return new Uint8Array(Buffer.from(value, 'hex'));
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) return new Uint8Array(Buffer.from(value, 'base64'));
  return bad(name, 'must be 32 bytes in hex or base64');
};

const token = (name: string, value: string | undefined) => {
  if (value === undefined) return undefined;
  return /^[\x21-\x7e]{16,}$/.test(value)
    ? value
    : bad(name, 'must be at least 16 printable characters without spaces');
};

/** Families of chains that speak the gateway's JSON-RPC. */
const gatewayFamilies: readonly Family[] = ['evm'];

const nodeUrls = (name: string, value: string, known: readonly Family[], otherwise = ''): readonly string[] => {
  const urls = value.split(',').map((url) => url.trim());
  const schemes = schemesOf(known);
  const isNode = (url: string) =>
    URL.canParse(url) && schemes.includes(new URL(url).protocol.slice(0, -1)) && new URL(url).hostname !== '';
  const rule = `node URLs separated by commas, under ${schemes.map((scheme) => `${scheme}://`).join(', ')}`;
  return urls.every(isNode) ? urls : bad(name, `must be ${otherwise}${rule}`);
};

const chain =
  (environment: Environment) =>
  ({ tag, nodeFamilies }: Variant): ChainSetting => {
    const name = `CHAIN_${tag}_URL`;
    const value = environment[name];
    if (value === undefined) return { tag, urls: 'unset' };
    if (value === 'off') return { tag, urls: 'off' };
    return { tag, urls: nodeUrls(name, value, nodeFamilies, '"off" or ') };
  };

const gateways = (environment: Environment) =>
  Object.fromEntries(
    chains.flatMap(({ tag, segment }) =>
      networks.flatMap((network) => {
        const name = `GATEWAY_${tag}_${network.toUpperCase()}_URLS`;
        const value = environment[name];
        return value === undefined ? [] : [[`${segment}/${network}`, nodeUrls(name, value, gatewayFamilies)]];
      }),
    ),
  );

const longestTimerMs = 2 ** 31 - 1;
const milliseconds = (name: string, value: string) =>
  /^\d{1,10}$/.test(value) && Number(value) <= longestTimerMs
    ? Number(value)
    : bad(name, `must be a number of milliseconds from 0 to ${longestTimerMs}`);

const seconds = (name: string, value: string) =>
  /^\d{1,9}$/.test(value) ? Number(value) : bad(name, 'must be a whole number of seconds');

const count = (name: string, value: string) =>
  /^\d{1,9}$/.test(value) && Number(value) > 0 ? Number(value) : bad(name, 'must be a whole number from 1 on');

const webUrl = (name: string, value: string | undefined) => {
  if (value === undefined || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))) return value;
  return bad(name, 'must be an http or https URL');
};

const engine = (environment: Environment, name: string, schemes: readonly string[]) => {
  const value = environment[name];
  if (
    value === undefined ||
    schemes.some((scheme) => value.startsWith(`${scheme}://`) && value.length > scheme.length + 3)
  )
    return value;
  return bad(name, `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
};

/** Secrets that are kept for all nodes can only be opened under a key that all nodes have. */
const sharedKeyNeeded = ({ masterKey, mongodbUrl }: Config) => {
  if (mongodbUrl !== undefined && masterKey === undefined)
    bad('CHAINFOLD_MASTER_KEY', 'is needed with MONGODB_URL: every node must have the same one');
};

/** Checks every setting, so that a typo stops the start instead of surfacing later. */
export const readConfig = (given: Environment): Config => {
  // Compose files pass an empty text for what is not set.
  const environment: Environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const config: Config = {
    host: host('CHAINFOLD_HOST', environment.CHAINFOLD_HOST),
    port: port('CHAINFOLD_PORT', environment.CHAINFOLD_PORT),
    dataDirectory: resolve(environment.CHAINFOLD_DATA_DIR ?? '.chainfold'),
    masterKey: masterKey('CHAINFOLD_MASTER_KEY', environment.CHAINFOLD_MASTER_KEY),
    previousMasterKey: masterKey('CHAINFOLD_PREVIOUS_MASTER_KEY', environment.CHAINFOLD_PREVIOUS_MASTER_KEY),
    demo: flag('CHAINFOLD_DEMO', environment.CHAINFOLD_DEMO, true),
    production: environment.NODE_ENV === 'production',
    metricsToken: token('CHAINFOLD_METRICS_TOKEN', environment.CHAINFOLD_METRICS_TOKEN),
    logLevel: oneOf('CHAINFOLD_LOG_LEVEL', environment.CHAINFOLD_LOG_LEVEL ?? 'info', logLevels),
    eventStoreUrl: engine(environment, 'EVENTSTORE_URL', ['esdb', 'esdb+discover']),
    mongodbUrl: engine(environment, 'MONGODB_URL', ['mongodb', 'mongodb+srv']),
    redisUrl: engine(environment, 'REDIS_URL', ['redis', 'rediss']),
    chains: chains.map(chain(environment)),
    gateways: gateways(environment),
    developmentBlockMs: milliseconds('CHAINFOLD_DEV_BLOCK_MS', environment.CHAINFOLD_DEV_BLOCK_MS ?? '1000'),
    allowPrivate: flag('CHAINFOLD_WEBHOOK_ALLOW_PRIVATE', environment.CHAINFOLD_WEBHOOK_ALLOW_PRIVATE, false),
    stuckSeconds: seconds('CHAINFOLD_STUCK_SECONDS', environment.CHAINFOLD_STUCK_SECONDS ?? '600'),
    asOfEvents: count('CHAINFOLD_AS_OF_EVENTS', environment.CHAINFOLD_AS_OF_EVENTS ?? '1000000'),
    ipfsGateway: webUrl('CHAINFOLD_IPFS_GATEWAY', environment.CHAINFOLD_IPFS_GATEWAY),
  };
  sharedKeyNeeded(config);
  if (config.previousMasterKey && !config.masterKey)
    bad('CHAINFOLD_PREVIOUS_MASTER_KEY', 'needs CHAINFOLD_MASTER_KEY, the new one');
  return config;
};
