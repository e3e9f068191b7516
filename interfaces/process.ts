import { run } from './main.js';
import { endsWithParent, stopSignals } from './stop-requests.js';

const pollIntervalMs = 500;
/** Time in ms that open connections have to close after the service has ended. */
const lingerMs = 2000;

/** Calls `callback` when the parent process exits, if this process must end with its parent. */
const onParentExit = (callback: () => void) => {
  const parent = process.ppid;
  const checkParent = () => {
    if (process.ppid !== parent) callback();
  };
  if (endsWithParent(process.env, process.platform)) setInterval(checkParent, pollIntervalMs).unref();
};

const stopped = () =>
  new Promise<void>((resolve) => {
    for (const signal of stopSignals(process.platform)) process.once(signal, () => resolve());
    onParentExit(resolve);
  });

/** Exits quietly when the reader of the output, such as `head`, closes the pipe. */
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
// Forces the exit of `doctor` and `serve`, because connections to unresponsive stores would keep the process alive.
// Other commands end without `process.exit`, so that SQLite removes its write-ahead logs.
if (args[0] === 'doctor') process.exit();
if (args[0] === 'serve') setTimeout(() => process.exit(), lingerMs).unref();
