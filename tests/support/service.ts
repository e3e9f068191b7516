import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, createClient } from '../../interfaces/client.js';
import type { Credentials } from '../../interfaces/signature.js';
import { checkedClient } from './checked-client.js';
import { environmentOf, jsonOf, launcher as ownLauncher } from './command.js';
import type { Engine, Home } from './engines.js';
import { keepCredentials, keepLog } from './secrets.js';

export type Service = {
  readonly url: string;
  readonly home: Home;
  readonly process: ChildProcess;
  /** Everything it wrote to standard output and standard error so far. */
  readonly output: () => string;
  /** kill -9, and wait until it is gone. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; gives the exit code. */
  readonly stop: () => Promise<number | null>;
};

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const one of running) one.kill('SIGKILL');
});

/** The service as an operator starts it: a process of its own, on a free port, over a directory. */
export const startService = async (options: {
  on: Engine | Home;
  role?: string;
  env?: Record<string, string>;
  /** Where it is not this repository's. */
  launcher?: string;
}): Promise<Service> => {
  const { launcher = ownLauncher } = options;
  const home = 'home' in options.on ? await options.on.home() : options.on;
  const args = [launcher, 'serve', '--json', ...(options.role ? ['--role', options.role] : [])];
  const child = spawn(process.execPath, args, {
    env: environmentOf(home, options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const gone = once(child, 'exit').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  let output = '';
  keepLog(`what service ${child.pid} wrote`, () => output);
  child.stderr.on('data', (chunk) => (output += chunk));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => (output += `${line}\n`));
  const first = await Promise.race([once(lines, 'line').then(([line]) => line as string), gone.then(() => null)]);
  if (first === null) throw new Error(`the service did not start: ${output}`);
  const signal = (name: NodeJS.Signals) => {
    child.kill(name);
    return gone;
  };
  if (!(await hasDemo(home, options.env))) await makeDemo(home);
  const { url } = JSON.parse(first);
  if (url !== null && existsSync(demoFile(home))) await liftLimits(url, demoOf(home));
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

/** Engines that others may share get no demo organization, so the tests make one there. */
const hasDemo = async (home: Home, env: Record<string, string> = {}) =>
  Object.keys(home.environment).length === 0 || existsSync(demoFile(home)) || 'CHAINFOLD_DEMO' in env;
const makeDemo = async (home: Home) => {
  const domain = `demo-${randomBytes(6).toString('hex')}`;
  const { organization_id } = await jsonOf(home, ['organization', 'create', '--name', 'Demo', '--domain', domain]);
  const issued = await jsonOf(home, ['credential', 'issue', '--organization', organization_id, '--role', 'admin']);
  writeFileSync(demoFile(home), JSON.stringify({ organization_id, domain, ...issued }), { mode: 0o600 });
};

/** Tests of anything but the limits must not run into them. */
const liftLimits = (url: string, { organizationId, ...credentials }: Demo) =>
  createClient({ url, ...credentials }).admin.setRateLimit({ organization_id: organizationId, ...unlimited });
const unlimited = {
  per_second_limit: 1e9,
  per_hour_limit: 1e9,
  per_day_limit: 1e9,
  per_month_limit: 1e9,
};

/** The demo organization and its credentials. */
type Demo = Credentials & { readonly organizationId: string; readonly domain: string };

export const demoOf = (home: Home): Demo => {
  const { organization_id, domain = 'demo', api_key, api_secret } = JSON.parse(readFileSync(demoFile(home), 'utf8'));
  return keepCredentials({ organizationId: organization_id, domain, key: api_key, secret: api_secret });
};

export const clientOf = ({ url, home }: Service, credentials: Credentials = demoOf(home)): Client =>
  checkedClient(createClient({ url, ...keepCredentials(credentials) }));

/** One more organization with a credential, made at the command line. */
export const newOrganization = async (
  home: Home,
  domain: string,
): Promise<Credentials & { organizationId: string }> => {
  const { organization_id } = await jsonOf(home, ['organization', 'create', '--name', domain, '--domain', domain]);
  const { api_key, api_secret } = await jsonOf(home, ['credential', 'issue', '--organization', organization_id]);
  return { organizationId: organization_id, key: api_key, secret: api_secret };
};
