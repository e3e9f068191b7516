import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, fail, ok } from '../../application/maintenance/finding.js';
import type { Config } from '../config.js';
import { startThread, type Thread } from '../sqlite/thread.js';
import type { Opened } from './opened.js';

const mebibyte = 1_048_576;
/** Time for reading a file as a whole: it grows with the file, and what is slow is not damaged. */
const readMs = 3_600_000;

const restore =
  'stop the service and restore events.db and state.db from the last backup: nothing can build them anew; docs/operations.md';
const removed = (name: string, then: string) =>
  `stop the service, remove ${name}, ${name}-wal and ${name}-shm, and start it again: ${then}`;

type Engine = 'eventStoreUrl' | 'mongodbUrl' | 'redisUrl';
type File = { readonly name: string; readonly unless: Engine; readonly advice: string };

/** Every file of the data directory that SQLite writes, unless an engine is configured in its place. */
const files: readonly File[] = [
  { name: 'events.db', unless: 'eventStoreUrl', advice: restore },
  { name: 'state.db', unless: 'mongodbUrl', advice: restore },
  {
    name: 'read-models.db',
    unless: 'mongodbUrl',
    advice: removed('read-models.db', 'they are built anew from the events'),
  },
  {
    name: 'limiter.db',
    unless: 'redisUrl',
    advice: removed('limiter.db', 'wait five minutes in between, because used nonces are forgotten'),
  },
  { name: 'jobs.db', unless: 'redisUrl', advice: removed('jobs.db', 'open deliveries are put into the queue anew') },
  { name: 'gateway-cache.db', unless: 'redisUrl', advice: removed('gateway-cache.db', 'the nodes are asked again') },
  { name: 'pending.db', unless: 'mongodbUrl', advice: removed('pending.db', 'the nodes tell again what is pending') },
];

/** Checks that SQLite finds the structure of each file whole, on a thread, because that reads all of it. */
export const fileChecks = (config: Config, opened: Opened): readonly Check[] => {
  const checker = opened.once<Thread<string, string | null>>(() => startThread('file-checker', {}));
  const used = files
    .map((file) => ({ ...file, path: join(config.dataDirectory, file.name) }))
    .filter(({ unless, path }) => config[unless] === undefined && existsSync(path));
  return used.map(({ name, path, advice }) => ({
    name: `file ${name}`,
    advice,
    ms: readMs,
    run: async () => {
      const problem = await (await checker()).run(path);
      const size = `${(statSync(path).size / mebibyte).toFixed(1)} MiB`;
      return [problem === null ? ok(`${size}, whole`) : fail(`${size}, damaged: ${problem}`, advice)];
    },
  }));
};
