import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, fail, ok } from '../../application/maintenance/finding.js';
import type { Config } from '../config.js';
import type { FileCheck } from '../sqlite/file-checker.js';
import { startThread, type Thread } from '../sqlite/thread.js';
import type { SharedConnections } from './shared-connections.js';

const mebibyte = 1_048_576;
/** Timeout for reading a whole file. Generous, because a slow check of a large file is not a sign of damage. */
const readTimeoutMs = 3_600_000;

const restoreAdvice =
  'stop the service and restore the last backup (chainfold restore DIR): it cannot be rebuilt; see docs/operations.md';
const removeAdvice = (name: string, then: string) =>
  `stop the service, remove ${name}, ${name}-wal and ${name}-shm, and start it again: ${then}`;

type Engine = 'eventStoreUrl' | 'mongodbUrl' | 'redisUrl';
type File = { readonly name: string; readonly unless: Engine; readonly advice: string };

/** SQLite files to check. A file is not in use if the setting `unless` configures a server for its data. */
const files: readonly File[] = [
  { name: 'events.db', unless: 'eventStoreUrl', advice: restoreAdvice },
  { name: 'state.db', unless: 'mongodbUrl', advice: restoreAdvice },
  {
    name: 'read-models.db',
    unless: 'mongodbUrl',
    advice: removeAdvice('read-models.db', 'the read models are rebuilt from the events'),
  },
  {
    name: 'limiter.db',
    unless: 'redisUrl',
    advice: removeAdvice('limiter.db', 'wait five minutes before the start, because used nonces are lost'),
  },
  { name: 'jobs.db', unless: 'redisUrl', advice: removeAdvice('jobs.db', 'open deliveries are queued again') },
  {
    name: 'gateway-cache.db',
    unless: 'redisUrl',
    advice: removeAdvice('gateway-cache.db', 'the cache is filled again'),
  },
  {
    name: 'refused.db',
    unless: 'redisUrl',
    advice: removeAdvice('refused.db', 'recent refused requests and the access log are lost'),
  },
  {
    name: 'pending.db',
    unless: 'mongodbUrl',
    advice: removeAdvice('pending.db', 'pending transactions are read from the nodes again'),
  },
];

/** Checks the structure of each file with SQLite, on a worker thread, because the check reads the whole file. */
export const fileChecks = (config: Config, opened: SharedConnections): readonly Check[] => {
  const checker = opened.once<Thread<FileCheck, string | null>>(() => startThread('file-checker', {}));
  const used = files
    .map((file) => ({ ...file, path: join(config.dataDirectory, file.name) }))
    .filter(({ unless, path }) => config[unless] === undefined && existsSync(path));
  return used.map(({ name, path, advice }) => ({
    name: `file ${name}`,
    advice,
    ms: readTimeoutMs,
    run: async () => {
      const problem = await (await checker()).run({ path, check: 'quick_check' });
      const size = `${(statSync(path).size / mebibyte).toFixed(1)} MiB`;
      return [problem === null ? ok(`${size}, intact`) : fail(`${size}, damaged: ${problem}`, advice)];
    },
  }));
};
