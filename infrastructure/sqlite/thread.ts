import { parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * Worker thread for SQLite writes, so that neither a slow disk nor a large transaction blocks the event loop. Jobs that
 * arrive while the thread is busy are sent as one batch.
 */
export type Thread<Job, Outcome> = {
  run(job: Job): Promise<Outcome>;
  /** Returns whether a job is queued or running. */
  isBusy(): boolean;
  close(): Promise<void>;
};

/** Placeholder for the thread of a store that is opened read-only. */
export const noThread: Thread<never, never> = {
  run: () => Promise.reject(new Error('The store was opened read-only')),
  isBusy: () => false,
  close: async () => undefined,
};

/** Reply to a batch. `errcode` is SQLite's extended error code; undefined for other errors. */
type Reply<Outcome> = { outcomes: readonly Outcome[] } | { error: string; errcode: number | undefined };
type Waiting<Job, Outcome> = { job: Job; resolve: (outcome: Outcome) => void; reject: (error: Error) => void };

/**
 * Number of batches in flight: one being written and one queued, so that the thread never idles while there is work.
 */
const maxBatchesInFlight = 2;
/** Queue length at which an idle thread gets a batch without waiting for the end of the event loop's turn. */
const eagerBatchSize = 16;
/** Queue length beyond which writes are rejected, because the disk is too slow. */
const maxQueueLength = 20_000;

/** Message that ends a thread. */
const closing = 'close';

/**
 * Folder of the compiled modules. Threads run compiled code even when the process runs TypeScript through tsx, as the
 * tests do, because loading tsx would make the start of a thread ten times slower.
 */
const folder = import.meta.url.endsWith('.ts') ? new URL('../../dist/', import.meta.url) : import.meta.url;

/** Starts a thread. `module` is the name of a compiled module of the service, or a URL. */
export const startThread = async <Job, Outcome>(module: string | URL, data: unknown): Promise<Thread<Job, Outcome>> => {
  const file = module instanceof URL ? module : new URL(`./${module}.cjs`, folder);
  const worker = new Worker(file, { workerData: data, execArgv: [] });
  let queue: Waiting<Job, Outcome>[] = [];
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const sent: Waiting<Job, Outcome>[][] = [];
  let broken: Error | undefined;
  let drained: (() => void) | undefined;

  const isBusy = () => sent.length > 0 || queue.length > 0;
  const send = () => {
    if (queue.length > 0 && sent.length < maxBatchesInFlight) {
      const batch = queue;
      queue = [];
      sent.push(batch);
      worker.postMessage(batch.map(({ job }) => job));
    }
    if (!isBusy()) drained?.();
  };
  const enqueue = (one: Waiting<Job, Outcome>) => {
    queue.push(one);
    if (queue.length === 1) setImmediate(send);
    else if (queue.length === eagerBatchSize && sent.length === 0) send();
  };
  const fail = (error: Error) => {
    broken = error;
    for (const { reject } of [...sent.flat(), ...queue]) reject(error);
    sent.length = 0;
    queue = [];
    drained?.();
  };

  await new Promise<void>((ready, failed) => {
    worker.once('message', () => ready());
    worker.once('error', failed);
  });
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('The thread that writes to the SQLite file has ended. Restart the process.')));
  worker.on('message', (reply: Reply<Outcome>) => {
    const batch = sent.shift() ?? [];
    if ('error' in reply)
      for (const { reject } of batch) reject(Object.assign(new Error(reply.error), { errcode: reply.errcode }));
    else for (const [i, { resolve }] of batch.entries()) resolve(reply.outcomes[i] as Outcome);
    send();
  });

  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken);
        if (queue.length >= maxQueueLength)
          return reject(new Error('Too many writes are waiting for the disk. Retry later.'));
        enqueue({ job, resolve, reject });
      }),
    isBusy,
    close: async () => {
      if (!broken && isBusy()) await new Promise<void>((done) => (drained = done));
      // `worker.terminate` may interrupt a statement that no job waits for, and the driver then aborts the process.
      worker.postMessage(closing);
      await exited;
    },
  };
};

/**
 * Runs in the worker thread: replies to each batch with the outcomes of its jobs in order, or with one error for the
 * whole batch.
 */
export const serveThread = <Data, Job, Outcome>(open: (data: Data) => (jobs: readonly Job[]) => readonly Outcome[]) => {
  const port = parentPort;
  if (!port) throw new Error('This module must run in a worker thread');
  const work = open(workerData as Data);
  port.on('message', (jobs: readonly Job[] | typeof closing) => {
    // Ends this thread only.
    if (jobs === closing) process.exit();
    try {
      port.postMessage({ outcomes: work(jobs) });
    } catch (error) {
      port.postMessage({ error: String(error), errcode: (error as { errcode?: number }).errcode });
    }
  });
  port.postMessage('ready');
};
