import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import type { Engine, Home } from '../engines/engines.js';
import { eventually } from '../eventually.js';
import { keepCredentials, keepLog } from '../run/secrets.js';
import { checkedClient } from './checked-client.js';
import { type Client, createClient } from './client.js';
import { environmentOf, jsonOf, launcher as ownLauncher } from './command.js';

export type Service = {
  readonly url: string;
  readonly home: Home;
  readonly process: ChildProcess;
  /** Returns the text that the service has written to standard output and standard error. */
  readonly output: () => string;
  /** Kills the service with SIGKILL, and waits until it has ended. */
  readonly kill: () => Promise<void>;
  /** Stops the service with SIGTERM, and returns its exit code. */
  readonly stop: () => Promise<number | null>;
};

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const one of running) one.kill('SIGKILL');
});

/** Starts the service as an operator does: in a process of its own, on a free port, with a data directory. */
export const startService = async (options: {
  on: Engine | Home;
  role?: string;
  /** Value of the option --workers; the option is not passed if absent. */
  workers?: string;
  env?: Record<string, string>;
  /** Path of the launcher in another copy of the repository; the launcher of this copy if absent. */
  launcher?: string;
  /** Called with each piece of the log, even before the service is ready. */
  onLog?: (text: string) => void;
}): Promise<Service> => {
  const { launcher = ownLauncher } = options;
  const home = 'home' in options.on ? await options.on.home() : options.on;
  const args = [
    launcher,
    'serve',
    '--json',
    ...(options.role ? ['--role', options.role] : []),
    ...(options.workers ? ['--workers', options.workers] : []),
  ];
  const child = spawn(process.execPath, args, {
    env: environmentOf(home, options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  // A process that has closed its pipes has written all of its output.
  const gone = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  let output = '';
  keepLog(`what service ${child.pid} wrote`, () => output);
  child.stderr.on('data', (chunk) => {
    output += chunk;
    options.onLog?.(String(chunk));
  });
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => (output += `${line}\n`));
  const first = await Promise.race([once(lines, 'line').then(([line]) => line as string), gone.then(() => null)]);
  if (first === null) throw new Error(`the service did not start: ${output}`);
  const signal = (name: NodeJS.Signals) => {
    child.kill(name);
    return gone;
  };
  // Retries, because engines that have just started on a busy machine may not answer in time.
  if (!(await hasDemo(home, options.env))) await eventually(() => makeDemo(home));
  const { url } = JSON.parse(first);
  if (url !== null && existsSync(demoFile(home))) await eventually(() => liftLimits(url, demoOf(home)));
  return {
    url,
    home,
    process: child,
    output: () => output,
    kill: async () => void (await signal('SIGKILL')),
    stop: () => signal('SIGTERM'),
  };
};

const demoFile = ({ directory }: Home) => join(directory, 'demo.json');

/**
 * Returns false if the tests must create the demo organization. Returns true if the stores are embedded, because the
 * service then creates it, if the tests have already created it, or if a test sets `CHAINFOLD_DEMO`.
 */
const hasDemo = async (home: Home, env: Record<string, string> = {}) =>
  Object.keys(home.environment).length === 0 || existsSync(demoFile(home)) || 'CHAINFOLD_DEMO' in env;
const makeDemo = async (home: Home) => {
  const domain = `demo-${randomBytes(6).toString('hex')}`;
  const { organization_id } = await jsonOf(home, ['organization', 'create', '--name', 'Demo', '--domain', domain]);
  const issued = await jsonOf(home, ['credential', 'issue', '--organization', organization_id, '--role', 'admin']);
  writeFileSync(demoFile(home), JSON.stringify({ organization_id, domain, ...issued }), { mode: 0o600 });
};

/** Raises the rate limits of the demo organization, because most tests must not reach them. */
const liftLimits = (url: string, { organizationId, ...credentials }: Demo) =>
  createClient({ url, ...credentials }).admin.setRateLimit({ organization_id: organizationId, ...unlimited });
/** Rate limits that no test reaches, however fast the machine is. */
export const unlimited = {
  per_second_limit: 1e9,
  per_hour_limit: 1e9,
  per_day_limit: 1e9,
  per_month_limit: 1e9,
};

/** Demo organization and its credentials. */
type Demo = Credentials & { readonly organizationId: string; readonly domain: string };

export const demoOf = (home: Home): Demo => {
  const { organization_id, domain = 'demo', api_key, api_secret } = JSON.parse(readFileSync(demoFile(home), 'utf8'));
  return keepCredentials({ organizationId: organization_id, domain, key: api_key, secret: api_secret });
};

export const clientOf = ({ url, home }: Service, credentials: Credentials = demoOf(home)): Client =>
  checkedClient(createClient({ url, ...keepCredentials(credentials) }));

/** Creates another organization with a credential, through commands of the CLI. */
export const newOrganization = async (
  home: Home,
  domain: string,
): Promise<Credentials & { organizationId: string }> => {
  const { organization_id } = await jsonOf(home, ['organization', 'create', '--name', domain, '--domain', domain]);
  const { api_key, api_secret } = await jsonOf(home, ['credential', 'issue', '--organization', organization_id]);
  return { organizationId: organization_id, key: api_key, secret: api_secret };
};
