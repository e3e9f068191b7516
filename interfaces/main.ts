import { readConfig } from '../infrastructure/config.js';
import { isSigned } from '../infrastructure/notary.js';
import { sha256 } from '../infrastructure/system.js';
import type { Invocation, Needs } from './cli/command.js';
import { runCli } from './cli/run.js';

/** Loaded when a command needs the stores: `call` and `--help` do without them. */
const open = async (needs?: Needs) => {
  const { compose } = await import('../infrastructure/container.js');
  return compose(readConfig(process.env), needs);
};

const openMove: Invocation['openMove'] = async (to) => {
  const { openMove } = await import('../infrastructure/move.js');
  return openMove(readConfig(process.env), to);
};

let isExamined = false;
const examine: Invocation['examine'] = async () => {
  const { examine } = await import('../infrastructure/doctor/examine.js');
  isExamined = true;
  return examine(process.env);
};

const stopped = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

/** Whoever reads what is printed, `head` for one, may have seen enough. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  settings: () => readConfig(process.env),
  open,
  openMove,
  examine,
  stopped,
  proof: { sha256, isSigned },
  write: (text) => process.stdout.write(`${text}\n`),
  draw: process.stdout.isTTY ? (text) => void process.stdout.write(text) : null,
  complain: (text) => process.stderr.write(`${text}\n`),
});
// Connections to what does not answer may go on waiting; their answers stopped to matter.
if (isExamined) process.exit();
