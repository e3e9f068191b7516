import type { DevelopmentAddresses } from '../../../application/ports/chains.js';
import type { Role } from '../../../application/processes/service-process.js';
import type { Listener } from '../../server/listener.js';
import type { Served } from '../../server/server.js';
import type { Settings } from '../command/command.js';
import type { WorkerGroup } from './workers/primary.js';

/** Open HTTP port of the service, served by this process or by its workers. */
export type Front = {
  readonly url: string;
  readonly isApi: boolean;
  /** Starts to serve requests. Before this call, the port only reports that the service is starting. */
  serve(served: Served, developments: () => Promise<DevelopmentAddresses>): Promise<void>;
  /** Finishes the requests in flight. Requests that take longer than `ms` milliseconds are aborted. */
  stop(ms: number): Promise<void>;
};

/** Opens a port. Imports the server on demand, so that other commands start without loading its code. */
const takePort = async (host: string, port: number, setting: string, startup: () => string) =>
  (await import('../../server/listener.js')).takePort({ host, port, setting }, startup);

const frontOf = (listener: Listener, isApi: boolean, share?: Served['shareMetrics']): Front => ({
  url: listener.url,
  isApi,
  serve: async (served) => {
    const { serveApi, serveHealth } = await import('../../server/server.js');
    (isApi ? serveApi : serveHealth)({ ...served, shareMetrics: share }, listener);
  },
  stop: listener.stop,
});

/** Opens the port of the API. */
export const takeApiPort = async (
  { host, port }: Settings,
  startup: () => string,
  share?: Served['shareMetrics'],
): Promise<Front> => frontOf(await takePort(host, port, 'CHAINFOLD_PORT', startup), true, share);

/** Opens the API port; in a process without the role `api`, opens the health port if one is configured. */
export const takePorts = async (settings: Settings, wanted: readonly Role[], startup: () => string) => {
  if (wanted.includes('api')) return [await takeApiPort(settings, startup)];
  const { host, healthPort } = settings;
  return healthPort === undefined
    ? []
    : [frontOf(await takePort(host, healthPort, 'CHAINFOLD_HEALTH_PORT', startup), false)];
};

/**
 * Time that workers have to end their work and close the stores, in addition to the time for requests in flight.
 */
const workerStopMs = 45_000;

/** Creates the front of an API port that workers serve. */
export const frontOfWorkers = (workers: WorkerGroup): Front => ({
  url: workers.url,
  isApi: true,
  serve: async ({ app, settings }, developments) => {
    const { createMetrics } = await import('../../server/metrics.js');
    workers.addMetrics(createMetrics(app, settings).collect);
    await workers.open(await developments(), app.system.log);
  },
  stop: (ms) => workers.stop(ms + workerStopMs),
});
