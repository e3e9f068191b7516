import type { App } from '../../../application/app.js';
import { allEvents, openStores, runUntilStopped } from './following.js';

/** Opens stores for each test of the suite, and stops the processes that the test started on them. */
export const useAppProcesses = () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let stop: AbortController;
  let running: Promise<unknown>[];
  beforeEach(async () => {
    stores = await openStores();
    [stop, running] = [new AbortController(), []];
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(running);
    await stores.close();
  });
  return {
    stores: () => stores,
    start: (app: App, name: string) => {
      running.push(runUntilStopped(app, name, stop.signal));
    },
    /** Returns the data of every delivery that was requested. */
    requested: async <Data>() =>
      (await allEvents(stores.events))
        .filter(({ type }) => type === 'DeliveryRequested')
        .map(({ data }) => data as Data),
  };
};
