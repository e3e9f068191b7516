import type { Worker } from 'node:cluster';
import { type MetricValues, renderTogether } from '../../../server/metrics.js';
import type { FromPrimary, FromWorker } from './messages.js';

/** Maximum time for a worker to report its metrics. The metrics of a slower worker are missing in the scrape. */
const collectMs = 3000;

type Send = (worker: Worker, message: FromPrimary) => void;

/**
 * Creates a collector, which gathers the metrics of all processes whenever a worker requests them for a scrape.
 */
export const createGathering = (workers: ReadonlySet<Worker>, send: Send) => {
  let own: () => Promise<MetricValues> = async () => [];
  let lastId = 0;
  const waiting = new Map<number, (metrics: MetricValues) => void>();

  const ask = (worker: Worker) =>
    new Promise<MetricValues>((resolve) => {
      const id = ++lastId;
      const finish = (metrics: MetricValues) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(metrics);
      };
      const timer = setTimeout(finish, collectMs, []);
      waiting.set(id, finish);
      send(worker, { kind: 'collect', id });
    });

  const answer = async (asking: Worker, id: number) => {
    const collected = await Promise.all([own(), ...[...workers].map(ask)]);
    send(asking, { kind: 'metrics', id, text: await renderTogether(collected) });
  };

  return {
    add: (collect: () => Promise<MetricValues>) => {
      own = collect;
    },
    listenTo: (worker: Worker) =>
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'collected') waiting.get(message.id)?.(message.metrics);
        // Ignores a failure. The scrape then gets no response, and Prometheus reports the target as down.
        if (message.kind === 'wanted') answer(worker, message.id).catch(() => undefined);
      }),
  };
};
