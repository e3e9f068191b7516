import { setMaxListeners } from 'node:events';
import type { App } from '../../../application/app.js';
import { nameOf, type Role, roles } from '../../../application/processes/service-process.js';
import { supervise } from '../../../application/processes/supervise.js';
import { Failure } from '../../../domain/failure.js';
import { oneOf } from '../command/arguments.js';
import type { Command, Invocation, Settings } from '../command/command.js';
import { bannerOf } from './banner.js';
import { ensureDemo } from './demo.js';

const rolesOf = (value: string | undefined): readonly Role[] => {
  if (value === undefined) return roles;
  return value.split(',').map((wanted) => oneOf('each role of --role', wanted.trim(), roles));
};

/** Imports the HTTP server on demand, so that other commands start without it. */
const startServer = async (app: App, settings: Settings, wanted: readonly Role[], isReady: () => boolean) => {
  const isApi = wanted.includes('api');
  const port = isApi ? settings.port : settings.healthPort;
  if (port === undefined) return null;
  const { startHealth, startHttp } = await import('../../server/server.js');
  return (isApi ? startHttp : startHealth)(app, { ...settings, port }, wanted, isReady);
};

/** Waits until the read models include every event that was stored before the start. */
const catchUp = async (app: App, stopped: AbortSignal) => {
  const head = await app.status.head();
  while (!stopped.aborted && !(await app.progress.reached(head, catchUpMs)));
};

const retryIntervalMs = 1000;
const catchUpMs = 500;

/** Retries work while a store is unavailable. The result is null if the service is stopped meanwhile. */
const createStoreRetry = (printError: Invocation['printError'], end: Promise<void>) => {
  const ended = end.then(() => null);
  let lastReason = '';
  const waitFor = (error: unknown) => {
    if (!(error instanceof Failure && error.code === 'UNAVAILABLE')) throw error;
    if (lastReason !== error.message) printError(`Startup is waiting: ${error.message}`);
    lastReason = error.message;
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

export const serve: Command = {
  words: 'serve',
  summary: 'Run the service until it is stopped.',
  options: { role: { type: 'string', value: roles.join(','), summary: 'Roles of this process; all by default.' } },
  run: async (invocation) => {
    const { options, settings, print, stopped } = invocation;
    const wanted = rolesOf(options.role);
    const end = stopped();
    const isFollowing = wanted.includes('follower');
    const retryUntilStoreIsUp = createStoreRetry(invocation.printError, end);
    const opened = await retryUntilStoreIsUp(() =>
      invocation.open({ chains: isFollowing ? 'with development' : 'configured' }),
    );
    if (!opened) return;
    const { app, close } = opened;
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const ended = new AbortController();
    void end.then(() => ended.abort());
    try {
      const demo = await retryUntilStoreIsUp(() => ensureDemo(app, settings));
      const running = app.processes
        .filter(({ role }) => wanted.includes(role))
        .map((one) => supervise(nameOf(one), one.run, stop.signal, app.system));
      let isReady = false;
      const http = await startServer(app, settings, wanted, () => isReady);
      await retryUntilStoreIsUp(() => catchUp(app, ended.signal));
      isReady = true;
      const url = wanted.includes('api') ? (http?.url ?? null) : null;
      print({ url, health_url: http?.url ?? null, ready: true }, bannerOf(app, settings, { url, demo, isFollowing }));
      app.system.log.info({ url, roles: wanted }, 'Service ready');
      await end;
      app.system.log.info({}, 'Service stopping');
      // A request that waits for a store gets its answer before its connection is cut.
      await http?.stop(settings.requestTimeoutMs);
      stop.abort();
      await Promise.all(running);
    } finally {
      stop.abort();
      await close();
    }
  },
};
