import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { chains } from '../../domain/variant.js';
import { type Client, createClient } from '../../interfaces/client.js';
import type { Credentials } from '../../interfaces/signature.js';
import { checkedClient } from './checked-client.js';
import type { Engine, Home } from './engines.js';
import { keepCommand, keepCredentials, keepEnvironment, keepLog } from './secrets.js';

const ownLauncher = 'bin/chainfold.js';

const environment = ({ directory, environment: engines }: Home, extra: Record<string, string> = {}) =>
  keepEnvironment({
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    CHAINFOLD_DATA_DIR: directory,
    ...engines,
    CHAINFOLD_PORT: '0',
    // Only the tests that follow a chain start one.
    ...Object.fromEntries(chains.map(({ tag }) => [`CHAIN_${tag}_URL`, 'off'])),
    CHAINFOLD_LOG_LEVEL: 'warn',
    ...extra,
  });

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
    env: environment(home, options.env),
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

export type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

const outcomeOf = async (
  home: Home,
  args: readonly string[],
  env: Record<string, string>,
  launcher: string,
): Promise<CommandResult> => {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [launcher, ...args], {
      env: environment(home, env),
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
};

/** A command as a person types it. */
export const runCommand = async (
  home: Home,
  args: readonly string[],
  env: Record<string, string> = {},
  launcher = ownLauncher,
) => {
  const result = await outcomeOf(home, args, env, launcher);
  keepCommand(args, result);
  return result;
};

export const jsonOf = async (home: Home, args: readonly string[]) => {
  const { code, stdout, stderr } = await runCommand(home, [...args, '--json']);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
};

/** One more organization with a credential, made at the command line. */
export const newOrganization = async (
  home: Home,
  domain: string,
): Promise<Credentials & { organizationId: string }> => {
  const { organization_id } = await jsonOf(home, ['organization', 'create', '--name', domain, '--domain', domain]);
  const { api_key, api_secret } = await jsonOf(home, ['credential', 'issue', '--organization', organization_id]);
  return { organizationId: organization_id, key: api_key, secret: api_secret };
};
