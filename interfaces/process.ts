import { run } from './main.js';

const lookMs = 500;

/** Calls `notice` when the shell between npm and this process is gone: it ends with npm but passes no signal on. */
const whenLeft = (notice: () => void) => {
  const parent = process.ppid;
  const look = () => {
    if (process.ppid !== parent) notice();
  };
  if (process.env.npm_lifecycle_event !== undefined) setInterval(look, lookMs).unref();
};

const stopped = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    whenLeft(resolve);
  });

/** Ends quietly when the reader of the output, such as `head`, has closed the pipe. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const args = process.argv.slice(2);
process.exitCode = await run(args, {
  environment: process.env,
  isInteractive: process.stdout.isTTY,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  stopped,
});
// `doctor` may leave connections waiting for engines that do not answer; their answers no longer matter.
if (args[0] === 'doctor') process.exit();
