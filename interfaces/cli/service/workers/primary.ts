import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../../../../application/async/backoff.js';
import type { DevelopmentAddresses } from '../../../../application/ports/chains.js';
import type { Log } from '../../../../application/ports/system.js';
import type { MetricValues } from '../../../server/metrics.js';
import { InconclusiveResult, NegativeResult } from '../../command/command.js';
import { createGathering } from './gathering.js';
import type { FromPrimary, FromWorker } from './messages.js';

/** Workers that serve the API on one port. */
export type WorkerGroup = {
  readonly url: string;
  /** Lets the workers open the stores, and waits until all are ready. A worker that ends later is replaced. */
  open(developments: DevelopmentAddresses, log: Log): Promise<void>;
  /** Adds the metrics of the primary process to the metrics that the workers show. */
  addMetrics(collect: () => Promise<MetricValues>): void;
  /** Sends SIGTERM to the workers. Kills each worker that has not ended after `ms` milliseconds. */
  stop(ms: number): Promise<void>;
};

/** Backoff before a worker is replaced. The backoff resets after a worker ran for a minute. */
const restarts = { firstMs: 100, maxMs: 30_000 };
const lastingMs = 60_000;
const usageExitCode = 2;

const send = (worker: Worker, message: FromPrimary) => {
  // Skips a worker that has just ended, because another one will replace it.
  if (worker.isConnected()) worker.send(message, () => undefined);
};

/** Waits for a message of a worker. Rejects if the worker exits first; the worker has then printed the reason. */
const receive = <K extends FromWorker['kind']>(worker: Worker, kind: K): Promise<Extract<FromWorker, { kind: K }>> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number) => reject(code === usageExitCode ? new InconclusiveResult() : new NegativeResult());
    const onMessage = (message: FromWorker) => {
      if (message.kind !== kind) return;
      worker.off('message', onMessage).off('exit', onExit);
      resolve(message as Extract<FromWorker, { kind: K }>);
    };
    worker.on('message', onMessage).once('exit', onExit);
  });

/**
 * Starts workers that run this command again. Returns once the workers have taken the port, before any store is opened.
 */
export const startWorkers = async (count: number): Promise<WorkerGroup> => {
  const workers = new Set<Worker>();
  const gathering = createGathering(workers, send);
  let isStopping = false;

  const fork = () => {
    const worker = cluster.fork();
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
    gathering.listenTo(worker);
    return { worker, listening: receive(worker, 'listening') };
  };
  /** Replaces a worker whenever it ends, until the group is stopped. */
  const keepRunning = async (first: Worker, developments: DevelopmentAddresses, log: Log) => {
    const backoff = createBackoff(restarts);
    for (let worker = first; ; ) {
      const startedAt = Date.now();
      const [code, signal] = await once(worker, 'exit');
      if (isStopping) return;
      log.error({ worker: worker.process.pid, code, signal }, 'Worker ended; starting another');
      if (Date.now() - startedAt > lastingMs) backoff.reset();
      await sleep(backoff.next());
      if (isStopping) return;
      const next = fork();
      worker = next.worker;
      // Ignores the rejection if the new worker ends before it listens, because the next turn of the loop replaces it.
      next.listening.then(
        () => send(next.worker, { kind: 'open', developments }),
        () => undefined,
      );
    }
  };

  // Starts one worker before all others, so that a port in use is reported by one worker only.
  const first = fork();
  const { url } = await first.listening;
  const all = [first, ...Array.from({ length: count - 1 }, fork)];
  await Promise.all(all.map(({ listening }) => listening));
  return {
    url,
    open: async (developments, log) => {
      const ready = all.map(({ worker }) => receive(worker, 'ready'));
      for (const { worker } of all) send(worker, { kind: 'open', developments });
      await Promise.all(ready);
      for (const { worker } of all) void keepRunning(worker, developments, log);
    },
    addMetrics: gathering.add,
    stop: async (ms) => {
      isStopping = true;
      const ended = [...workers].map((worker) => once(worker, 'exit'));
      for (const worker of workers) worker.process.kill('SIGTERM');
      const kill = setTimeout(() => {
        for (const worker of workers) worker.process.kill('SIGKILL');
      }, ms);
      await Promise.all(ended);
      clearTimeout(kill);
    },
  };
};
