import { readConfig } from '../infrastructure/config.js';
import type { Needs } from './cli/command.js';
import { runCli } from './cli/run.js';

/** Loaded when a command needs the stores: `call` and `--help` do without them. */
const open = async (needs?: Needs) => {
  const { compose } = await import('../infrastructure/container.js');
  return compose(readConfig(process.env), needs);
};

const stopped = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  settings: () => readConfig(process.env),
  open,
  stopped,
  write: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
});
