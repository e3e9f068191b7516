import { parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * SQLite writes, with their waits for the disk, run on a thread of their own, so that neither a slow disk nor a big
 * transaction stops the service from answering. Jobs that arrive while the thread is busy travel together.
 */
export type Thread<Job, Outcome> = {
  run(job: Job): Promise<Outcome>;
  /** Whether a job is not answered yet. */
  isBusy(): boolean;
  close(): Promise<void>;
};

/** In the place of a thread where nothing is to be written. */
export const noThread: Thread<never, never> = {
  run: () => Promise.reject(new Error('this was opened to be read')),
  isBusy: () => false,
  close: async () => undefined,
};

type Reply<Outcome> = { outcomes: readonly Outcome[] } | { error: string };
type Waiting<Job, Outcome> = { job: Job; resolve: (outcome: Outcome) => void; reject: (error: Error) => void };

/** One batch being written and one on its way, so that the thread never idles while there is work. */
const batchesUnderWay = 2;
/** A thread that idles does not wait for those who come later in the same turn once there are so many. */
const worthStarting = 16;
/** Past this the disk has fallen too far behind for waiting to help. */
const longestQueue = 20_000;

/**
 * Threads run compiled code, also where their process runs on sources (tests do, through tsx): a loader of sources would make each
 * thread take ten times as long to start.
 */
const folder = import.meta.url.endsWith('.ts') ? new URL('../../dist/', import.meta.url) : import.meta.url;

/** `module` names a file of the compiled service, or is one. */
export const startThread = async <Job, Outcome>(module: string | URL, data: unknown): Promise<Thread<Job, Outcome>> => {
  const file = module instanceof URL ? module : new URL(`./${module}.js`, folder);
  const worker = new Worker(file, { workerData: data, execArgv: [] });
  let queue: Waiting<Job, Outcome>[] = [];
  const sent: Waiting<Job, Outcome>[][] = [];
  let broken: Error | undefined;
  let drained: (() => void) | undefined;

  const isBusy = () => sent.length > 0 || queue.length > 0;
  const send = () => {
    if (queue.length > 0 && sent.length < batchesUnderWay) {
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
    else if (queue.length === worthStarting && sent.length === 0) send();
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
  worker.on('exit', () => fail(new Error('the writing thread has ended')));
  worker.on('message', (reply: Reply<Outcome>) => {
    const batch = sent.shift() ?? [];
    if ('error' in reply) for (const { reject } of batch) reject(new Error(reply.error));
    else for (const [i, { resolve }] of batch.entries()) resolve(reply.outcomes[i] as Outcome);
    send();
  });

  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken);
        if (queue.length >= longestQueue) return reject(new Error('too many writes are waiting for the disk'));
        enqueue({ job, resolve, reject });
      }),
    isBusy,
    close: async () => {
      if (!broken && isBusy()) await new Promise<void>((done) => (drained = done));
      await worker.terminate();
    },
  };
};

/** The thread's side: takes batches of jobs and answers each job in order, or one error for the whole batch. */
export const serveThread = <Data, Job, Outcome>(open: (data: Data) => (jobs: readonly Job[]) => readonly Outcome[]) => {
  const port = parentPort;
  if (!port) throw new Error('this module runs in a thread');
  const work = open(workerData as Data);
  port.on('message', (jobs: readonly Job[]) => {
    try {
      port.postMessage({ outcomes: work(jobs) });
    } catch (error) {
      port.postMessage({ error: String(error) });
    }
  });
  port.postMessage('ready');
};
