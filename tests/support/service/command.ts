import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chains } from '../../../domain/variant.js';
import type { run } from '../../../interfaces/main.js';
import type { Home } from '../engines/engines.js';
import { keepCommand, keepEnvironment } from '../run/secrets.js';
import { isFull } from '../run/tier.js';

export const launcher = 'bin/chainfold.js';

/** Settings of a service or command of the tests: a free port, and no chain unless a test asks for one. */
export const environmentOf = ({ directory, environment: engines }: Home, extra: Record<string, string> = {}) =>
  keepEnvironment({
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    CHAINFOLD_DATA_DIR: directory,
    // Configuration files of the developer must not change the tests.
    CHAINFOLD_CONFIG_DIR: directory,
    ...engines,
    CHAINFOLD_PORT: '0',
    ...Object.fromEntries(chains.map(({ tag }) => [`CHAIN_${tag}_URL`, 'off'])),
    CHAINFOLD_LOG_LEVEL: 'warn',
    ...extra,
  });
type Environment = ReturnType<typeof environmentOf>;

type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

const inProcessOfItsOwn = async (
  args: readonly string[],
  env: Environment,
  program = launcher,
): Promise<CommandResult> => {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args], { env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
};

let built: Promise<{ run: typeof run }> | undefined;
/** Loads the compiled program, which a separate process would run otherwise. */
const program = (): Promise<{ run: typeof run }> => import(new URL('../../../dist/main.js', import.meta.url).href);

const inThisProcess = async (args: readonly string[], environment: Environment): Promise<CommandResult> => {
  built ??= program();
  const { run } = await built;
  let [stdout, stderr] = ['', ''];
  const err = (text: string) => {
    stderr += text;
  };
  const out = (text: string) => {
    stdout += text;
  };
  const stopped = () => new Promise<void>(() => undefined);
  const code = await run(args, { environment, isInteractive: false, out, err, log: { write: err }, stopped });
  return { code, stdout, stderr };
};

/** Runs a command in a process of its own in every tier, for tests of another program or of settings of the process. */
export const runProcess = async (
  home: Home,
  args: readonly string[],
  env: Record<string, string> = {},
  program = launcher,
) => {
  const result = await inProcessOfItsOwn(args, environmentOf(home, env), program);
  keepCommand(args, result);
  return result;
};

/**
 * Runs a command as a person types it. The full tier starts a process for each command. Other tiers run the compiled
 * program in the test's process, because the start of a process takes a second of processor time and most tests run
 * many commands.
 */
export const runCommand = async (home: Home, args: readonly string[], env: Record<string, string> = {}) => {
  const result = await (isFull ? inProcessOfItsOwn : inThisProcess)(args, environmentOf(home, env));
  keepCommand(args, result);
  return result;
};

export const jsonOf = async (home: Home, args: readonly string[]) => {
  const { code, stdout, stderr } = await runCommand(home, [...args, '--json']);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
};
