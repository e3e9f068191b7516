import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freshDirectory } from '../../tests/support/run/directories.js';
import { startService } from '../../tests/support/service/service.js';
import { until } from './until.js';

/** Maximum time for which the service's main thread may be blocked. */
export const maxStallMs = 20;

/** Starts a service with a stall probe. `maxStall` returns the longest stall in ms since its last call. */
export const startProbed = async (on: NonNullable<Parameters<typeof startService>[0]>['on']) => {
  const file = join(freshDirectory(), 'stall');
  const probe = new URL('./stall-probe.js', import.meta.url).href;
  const service = await startService({ on, env: { NODE_OPTIONS: `--import ${probe}`, STALL_FILE: file } });
  const maxStall = async () => {
    rmSync(file, { force: true });
    service.process.kill('SIGUSR2');
    await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
    return Number(readFileSync(file, 'utf8'));
  };
  return { service, maxStall };
};
