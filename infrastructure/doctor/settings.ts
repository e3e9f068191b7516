import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, ok, warn } from '../../application/maintenance/finding.js';
import type { Config } from '../config.js';

type Pitfall = readonly [is: (config: Config) => boolean, found: string, advice: string];

const isLoopback = (host: string) => /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
const engines = ({ eventStoreUrl, mongodbUrl, redisUrl }: Config) =>
  [eventStoreUrl, mongodbUrl, redisUrl].filter((url) => url !== undefined);
/**
 * Returns whether a URL connects to another machine without TLS. A host name without a dot counts as a host in a
 * private network.
 */
const isPlain = (url: string) => {
  const [, scheme, host = ''] = /^([a-z+]+):\/\/(?:[^@/]*@)?([^:/?,]+)/.exec(url) ?? [];
  if (isLoopback(host) || !host.includes('.')) return false;
  const isTls = /[?&](?:tls|ssl)=true/.test(url);
  return scheme === 'redis' || /[?&](?:tls|ssl)=false/.test(url) || (scheme === 'mongodb' && !isTls);
};

/** Settings that are valid but risky in production. */
const pitfalls: readonly Pitfall[] = [
  [
    ({ production, host }) => !production && !isLoopback(host),
    'NODE_ENV is not production, but CHAINFOLD_HOST is reachable from other machines',
    'set NODE_ENV=production: it requires https for webhooks and disables the demo organization and development chain',
  ],
  [
    ({ production, masterKey }) => production && masterKey === undefined,
    'the master key is in the data directory, next to the secrets that it decrypts',
    'set CHAINFOLD_MASTER_KEY to the content of master.key, store the key elsewhere and remove the file',
  ],
  [
    ({ previousMasterKey }) => previousMasterKey !== undefined,
    'CHAINFOLD_PREVIOUS_MASTER_KEY is set',
    'finish the rotation with chainfold master-key rotate, then unset it; see docs/security.md',
  ],
  [
    ({ allowPrivate, production }) => allowPrivate && production,
    'webhooks may be sent to private addresses: customers can reach services behind your firewall',
    'unset CHAINFOLD_WEBHOOK_ALLOW_PRIVATE',
  ],
  [
    ({ production, dataDirectory }) => production && existsSync(join(dataDirectory, 'demo.json')),
    'a demo organization exists, and its credentials are in demo.json',
    'delete its credentials with chainfold credential delete, and demo.json',
  ],
  [
    ({ metricsToken, host }) => metricsToken === undefined && !isLoopback(host),
    'only this machine can read the metrics',
    'set CHAINFOLD_METRICS_TOKEN and configure it in the metrics collector',
  ],
  [
    (config) => [1, 2].includes(engines(config).length),
    'some stores are on servers, and the others are files on this machine',
    'set all of EVENTSTORE_URL, MONGODB_URL and REDIS_URL, or none, unless one machine runs everything',
  ],
  [
    (config) => engines(config).some((url) => url !== undefined && isPlain(url)),
    'a store on another machine is connected without TLS',
    'use rediss://, tls=true, or a private network',
  ],
  [
    ({ production, chains }) => production && chains.every(({ urls }) => urls === 'unset' || urls === 'off'),
    'no chain is configured: in production, chains without a URL are off',
    'set CHAIN_<T|S|P|C|Q>_URL; see docs/configuration.md',
  ],
];

/**
 * Checks the settings. `unknown` has a sentence about each variable that looks like a setting but is not one; each
 * sentence becomes a warning.
 */
export const settingChecks = (config: Config, unknown: readonly string[]): readonly Check[] => [
  {
    name: 'configuration',
    advice: 'docs/configuration.md lists every setting',
    run: async () => {
      const found = [
        ...unknown.map((sentence) => warn(sentence, 'correct or remove it; docs/configuration.md lists every setting')),
        ...pitfalls.filter(([is]) => is(config)).map(([, found, advice]) => warn(found, advice)),
      ];
      return found.length > 0 ? found : [ok('every setting is valid')];
    },
  },
];
