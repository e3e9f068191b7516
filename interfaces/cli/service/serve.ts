import { setMaxListeners } from 'node:events';
import type { App } from '../../../application/app.js';
import { nameOf, type Role, roles } from '../../../application/processes/service-process.js';
import { supervise } from '../../../application/processes/supervise.js';
import { Failure } from '../../../domain/failure.js';
import type { Listener } from '../../server/listener.js';
import { oneOf } from '../command/arguments.js';
import type { Command, Invocation, Settings } from '../command/command.js';
import { bannerOf } from './banner.js';
import { ensureDemo } from './demo.js';
import { searchNewerEvents, warnOfNewerSoftware } from './newer-software.js';
import { requireEnd } from './require-end.js';

const rolesOf = (value: string | undefined): readonly Role[] => {
  if (value === undefined) return roles;
  return value.split(',').map((wanted) => oneOf('each role of --role', wanted.trim(), roles));
};

/**
 * Takes the port of the process: that of the API, or that of health and metrics; null if neither is configured. The
 * server is imported on demand, so that other commands start without it.
 */
const listenFor = async (settings: Settings, wanted: readonly Role[], startup: () => string) => {
  const [setting, port] = wanted.includes('api')
    ? ['CHAINFOLD_PORT', settings.port]
    : ['CHAINFOLD_HEALTH_PORT', settings.healthPort];
  if (port === undefined) return null;
  const { takePort } = await import('../../server/listener.js');
  return takePort({ host: settings.host, port, setting }, startup);
};

/** Waits until the read models include every event that was stored before the start. */
const catchUp = async (app: App, stopped: AbortSignal) => {
  const head = await app.status.head();
  while (!stopped.aborted && !(await app.progress.reached(head, catchUpMs)));
};

const retryIntervalMs = 1000;
const catchUpMs = 500;

/** State of the start, for readers of `/health/ready`. */
type Startup = { reason: string | null };

/** Retries work while a store is unavailable. The result is null if the service is stopped meanwhile. */
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

/** Starts the processes of the roles, and the heartbeat that shows them to operators. They end after the signal fires. */
const startProcesses = (app: App, wanted: readonly Role[], startup: Startup, signal: AbortSignal) => {
  const processes = app.processes.filter(({ role }) => wanted.includes(role));
  const heartbeat = app.oversight.heartbeat({ roles: wanted, processes, startup: () => startup.reason });
  const supervised = processes.map((one): [string, Promise<void>] => [
    nameOf(one),
    supervise(nameOf(one), one.run, signal, app.system, heartbeat.failed),
  ]);
  return new Map([...supervised, ['heartbeat', heartbeat.run(signal)]]);
};

/** Time that processes get for their last work. Longer than any timeout of a store, which such work may wait for. */
const processStopMs = 30_000;
const storeCloseMs = 10_000;

type Process = {
  readonly wanted: readonly Role[];
  readonly listener: Listener | null;
  readonly startup: Startup;
  /** Resolves when the service is asked to stop. */
  readonly end: Promise<void>;
};

/** Runs the processes of the roles on open stores until the end. */
const runRoles = async (app: App, invocation: Invocation, { wanted, listener, startup, end }: Process) => {
  const { settings, print, printError } = invocation;
  const retryUntilStoreIsUp = createStoreRetry(printError, startup, end);
  const [stop, ended] = [new AbortController(), new AbortController()];
  setMaxListeners(0, stop.signal);
  void end.then(() => ended.abort());
  try {
    const newer = await retryUntilStoreIsUp(() => warnOfNewerSoftware(app, printError));
    const demo = await retryUntilStoreIsUp(() => ensureDemo(app, settings));
    const running = startProcesses(app, wanted, startup, stop.signal);
    const catchingUp = 'The service is starting: read models are catching up.';
    startup.reason = `${catchingUp} ${newer ?? 'Retry in a moment.'}`;
    const isApi = wanted.includes('api');
    if (listener) {
      const { serveApi, serveHealth } = await import('../../server/server.js');
      (isApi ? serveApi : serveHealth)({ app, settings, roles: wanted, startup: () => startup.reason }, listener);
    }
    await retryUntilStoreIsUp(() => catchUp(app, ended.signal));
    startup.reason = null;
    const url = isApi ? (listener?.url ?? null) : null;
    const isFollowing = wanted.includes('follower');
    print({ url, health_url: listener?.url ?? null, ready: true }, bannerOf(app, settings, { url, demo, isFollowing }));
    app.system.log.info({ url, roles: wanted }, 'Service ready');
    await searchNewerEvents(app, printError, ended.signal);
    await end;
    app.system.log.info({}, 'Service stopping');
    // A request that waits for a store gets its answer before its connection is cut.
    await listener?.stop(settings.requestTimeoutMs);
    stop.abort();
    await requireEnd(processStopMs, running, app.system);
  } finally {
    stop.abort();
  }
};

export const serve: Command = {
  words: 'serve',
  summary: 'Run the service until it is stopped.',
  options: { role: { type: 'string', value: roles.join(','), summary: 'Roles of this process; all by default.' } },
  run: async (invocation) => {
    const { options, settings, stopped, printError } = invocation;
    const wanted = rolesOf(options.role);
    const end = stopped();
    const startup: Startup = { reason: 'The service is starting: stores are being opened.' };
    for (const sentence of invocation.unknownSettings()) printError(sentence);
    const listener = await listenFor(settings, wanted, () => startup.reason ?? '');
    try {
      const chains = wanted.includes('follower') ? 'with development' : 'configured';
      const opened = await createStoreRetry(
        printError,
        startup,
        end,
      )(() => invocation.open({ chains, newDirectory: true }));
      if (!opened) return;
      try {
        await runRoles(opened.app, invocation, { wanted, listener, startup, end });
      } finally {
        await requireEnd(storeCloseMs, new Map([['closing of the stores', opened.close()]]), opened.app.system);
      }
    } finally {
      await listener?.stop(0);
    }
  },
};
