import cluster from 'node:cluster';
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { App } from '../../../application/app.js';
import { nameOf, type Role, roles } from '../../../application/processes/service-process.js';
import { supervise } from '../../../application/processes/supervise.js';
import { Failure } from '../../../domain/failure.js';
import { UsageError } from '../../usage-error.js';
import { oneOf } from '../command/arguments.js';
import type { Command, Invocation, Opened } from '../command/command.js';
import { bannerOf } from './banner.js';
import { ensureDemo } from './demo.js';
import { type Front, frontOfWorkers, takeApiPort, takePorts } from './fronts.js';
import { searchNewerEvents, warnOfNewerSoftware } from './newer-software.js';
import { requireEnd } from './require-end.js';

const rolesOf = (value: string | undefined): readonly Role[] => {
  if (value === undefined) return roles;
  return value.split(',').map((wanted) => oneOf('each role of --role', wanted.trim(), roles));
};

/** Waits until the read models include every event that was stored before the start. */
const catchUp = async (app: App, stopped: AbortSignal) => {
  const head = await app.status.head();
  while (!stopped.aborted && !(await app.progress.reached(head, catchUpMs)));
};

const retryIntervalMs = 1000;
const catchUpMs = 500;

/** State of the startup, as `/health/ready` reports it. `reason` is null after the startup has completed. */
type Startup = { reason: string | null };

/**
 * Creates a function that retries work while a store is unavailable. The function returns null if `end` resolves first,
 * which means that the service was asked to stop.
 */
const createStoreRetry = (printError: Invocation['printError'], startup: Startup, end: Promise<void>) => {
  const ended = end.then(() => null);
  let lastReason = '';
  const waitFor = (error: unknown) => {
    if (!(error instanceof Failure && error.code === 'UNAVAILABLE')) throw error;
    if (lastReason !== error.message) printError(`Startup is waiting: ${error.message}`);
    lastReason = error.message;
    startup.reason = `The service is starting: ${error.message}`;
    const pause = new Promise<true>((resolve) => setTimeout(resolve, retryIntervalMs, true));
    return Promise.race([pause, ended]);
  };
  return async <T>(work: () => Promise<T>): Promise<T | null> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if ((await waitFor(error)) === null) return null;
      }
    }
  };
};

/**
 * Starts the processes of the roles, and the heartbeat that shows their state to operators. Processes and heartbeat end
 * when `signal` aborts.
 */
const startProcesses = (app: App, wanted: readonly Role[], startup: Startup, signal: AbortSignal) => {
  // Starts nothing, not even a heartbeat, in a process that has no role itself and only keeps workers running.
  if (wanted.length === 0) return new Map<string, Promise<void>>();
  const processes = app.processes.filter(({ role }) => wanted.includes(role));
  const heartbeat = app.oversight.heartbeat({ roles: wanted, processes, startup: () => startup.reason });
  const supervised = processes.map((one): [string, Promise<void>] => [
    nameOf(one),
    supervise(nameOf(one), one.run, signal, app.system, heartbeat.failed),
  ]);
  return new Map([...supervised, ['heartbeat', heartbeat.run(signal)]]);
};

/**
 * Time that processes have to end their work. Longer than any store timeout, because the work may wait for a store.
 */
const processStopMs = 30_000;
const storeCloseMs = 10_000;

/** Roles, ports and lifetime of this operating-system process. */
type Process = {
  readonly wanted: readonly Role[];
  readonly fronts: readonly Front[];
  readonly startup: Startup;
  /** Resolves when the service is asked to stop. */
  readonly end: Promise<void>;
};

/**
 * Runs the processes of the roles on open stores until the service is asked to stop. Calls `ready` once the read models
 * are up to date.
 */
const runRoles = async (
  { app, shareDevelopments }: Opened,
  { settings, version, printError }: Invocation,
  { wanted, fronts, startup, end }: Process,
  ready: (ended: AbortSignal) => Promise<void>,
) => {
  const [stop, ended] = [new AbortController(), new AbortController()];
  setMaxListeners(0, stop.signal);
  void end.then(() => ended.abort());
  try {
    const running = startProcesses(app, wanted, startup, stop.signal);
    const served = { app, settings, version: version(), roles: wanted, startup: () => startup.reason };
    for (const front of fronts) await front.serve(served, shareDevelopments);
    await createStoreRetry(printError, startup, end)(() => catchUp(app, ended.signal));
    startup.reason = null;
    await ready(ended.signal);
    await end;
    app.system.log.info({}, 'Service stopping');
    // Waits for the whole request timeout, so that requests waiting for a store end before their connections close.
    await Promise.all(fronts.map((front) => front.stop(settings.requestTimeoutMs)));
    stop.abort();
    await requireEnd(processStopMs, running, app.system);
  } finally {
    stop.abort();
  }
};

const catchingUp = 'The service is starting: read models are catching up.';

/** Prepares the stores, runs the roles, and prints the banner when the service is ready. */
const runService = async (opened: Opened, invocation: Invocation, process: Process) => {
  const { app } = opened;
  const { settings, print, printError } = invocation;
  const { wanted, fronts, startup, end } = process;
  const retryUntilStoreIsUp = createStoreRetry(printError, startup, end);
  const newer = await retryUntilStoreIsUp(() => warnOfNewerSoftware(app, printError));
  const demo = await retryUntilStoreIsUp(() => ensureDemo(app, settings));
  startup.reason = `${catchingUp} ${newer ?? 'Retry in a moment.'}`;
  await runRoles(opened, invocation, process, async (ended) => {
    const url = fronts.find(({ isApi }) => isApi)?.url ?? null;
    const isFollowing = wanted.includes('follower');
    print(
      { url, health_url: fronts[0]?.url ?? null, ready: true },
      bannerOf(app, settings, { url, demo, isFollowing }),
    );
    app.system.log.info({ url, roles: wanted }, 'Service ready');
    await searchNewerEvents(app, printError, ended);
  });
};

/** Opens the stores and runs the work on them. Closes the stores and the ports after the work has ended. */
const withStores = async (
  invocation: Invocation,
  needs: Parameters<Invocation['open']>[0],
  { startup, end, fronts }: Process,
  work: (opened: Opened) => Promise<void>,
) => {
  try {
    const opened = await createStoreRetry(invocation.printError, startup, end)(() => invocation.open(needs));
    if (!opened) return;
    try {
      await work(opened);
    } finally {
      await requireEnd(storeCloseMs, new Map([['closing of the stores', opened.close()]]), opened.app.system);
    }
  } finally {
    await Promise.all(fronts.map((front) => front.stop(0)));
  }
};

const newStartup = (): Startup => ({ reason: 'The service is starting: stores are being opened.' });

/** Serves the API as one of several workers, until the primary process stops this worker or has ended. */
const serveAsWorker = async (invocation: Invocation) => {
  const { settings, stopped } = invocation;
  const primary = (await import('./workers/worker.js')).connectToPrimary();
  const end = Promise.race([stopped(), primary.lost]);
  const startup = newStartup();
  const front = await takeApiPort(settings, () => startup.reason ?? '', primary.shareMetrics);
  const process: Process = { wanted: ['api'], fronts: [front], startup, end };
  const developments = await Promise.race([primary.listening(front.url), end]);
  await withStores(
    invocation,
    { chains: 'configured', developments: developments ?? 'none', isWorker: true },
    process,
    (opened) => {
      startup.reason = catchingUp;
      return runRoles(opened, invocation, process, async () => primary.ready());
    },
  );
  primary.close();
};

/** Returns the number of workers; 0 if this process serves the API itself. */
const workersOf = (value: string | undefined, wanted: readonly Role[]): number => {
  if (value === undefined) return 0;
  if (!wanted.includes('api'))
    throw new UsageError('--workers requires the role api, because the workers run only that role.');
  if (value === 'auto') return availableParallelism();
  if (/^[1-9]\d{0,2}$/.test(value)) return Number(value);
  throw new UsageError('--workers must be a number from 1 to 999, or auto for one worker per core.');
};

export const serve: Command = {
  words: 'serve',
  summary: 'Run the service until it is stopped.',
  options: {
    role: { type: 'string', value: roles.join(','), summary: 'Roles of this process; all by default.' },
    workers: {
      type: 'string',
      value: 'N|auto',
      summary: 'Processes that serve the API on one port; auto for one per core. By default, this process serves it.',
    },
  },
  run: async (invocation) => {
    const { options, settings, stopped, printError } = invocation;
    const all = rolesOf(options.role);
    const workers = workersOf(options.workers, all);
    if (workers > 0 && cluster.isWorker) return serveAsWorker(invocation);
    const end = stopped();
    const startup = newStartup();
    for (const sentence of invocation.unknownSettings()) printError(sentence);
    const wanted = workers > 0 ? all.filter((role) => role !== 'api') : all;
    const group = workers > 0 ? await (await import('./workers/primary.js')).startWorkers(workers) : null;
    const own = await takePorts(settings, wanted, () => startup.reason ?? '');
    const fronts = group ? [...own, frontOfWorkers(group)] : own;
    const developments = wanted.includes('follower') ? 'start' : 'none';
    const process: Process = { wanted, fronts, startup, end };
    await withStores(invocation, { chains: 'configured', developments, newDirectory: true }, process, (opened) =>
      runService(opened, invocation, process),
    );
  },
};
