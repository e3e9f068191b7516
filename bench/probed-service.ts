import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freshDirectory } from '../tests/support/run/directories.js';
import { startService } from '../tests/support/service/service.js';
import { until } from './until.js';

/** Longest time that anything may block the service's main thread. */
export const maxStallMs = 20;

/** Starts a service with a probe; `look` returns its worst stall since the last look. */
export const startProbed = async (on: NonNullable<Parameters<typeof startService>[0]>['on']) => {
  const file = join(freshDirectory(), 'stall');
  const probe = new URL('./stall-probe.js', import.meta.url).href;
  const service = await startService({ on, env: { NODE_OPTIONS: `--import ${probe}`, STALL_FILE: file } });
  const look = async () => {
    rmSync(file, { force: true });
    service.process.kill('SIGUSR2');
    await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
    return Number(readFileSync(file, 'utf8'));
  };
  return { service, look };
};
