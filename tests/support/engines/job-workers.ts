import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Job, JobOutcome, Jobs } from '../../../application/ports/jobs.js';
import { until } from '../eventually.js';

type Limits = { readonly atOnce: number; readonly perLane: number; readonly perOrganization?: number };
type Run = (job: Job) => Promise<JobOutcome> | JobOutcome;

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const named = (count: number, lane: string | ((n: number) => string), at = 0, organization = 'org_a') =>
  Array.from({ length: count }, (_, n) => ({
    organization,
    id: `${typeof lane === 'string' ? lane : 'job'}-${n}`,
    lane: typeof lane === 'string' ? lane : lane(n),
    at,
  }));
export const ids = (jobs: readonly Job[]) => jobs.map(({ id }) => id).sort();

/** Makes a door: jobs of a test wait for the promise `opened`, which resolves when the test calls `open`. */
const createDoor = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

/** Processes that `startHolder` started. */
const holders: ChildProcess[] = [];

/**
 * Makes workers that record the jobs they begin. After each test, jobs that wait at the door are released and the
 * workers are stopped.
 */
export const useWorkers = () => {
  let door = createDoor();
  let workers: { stop(): void; ended: Promise<void> }[] = [];
  beforeEach(() => {
    door = createDoor();
    workers = [];
  });
  afterEach(async () => {
    door.open();
    for (const { stop } of workers) stop();
    await Promise.all(workers.map(({ ended }) => ended));
    for (const holder of holders.splice(0)) holder.kill('SIGKILL');
  });
  return {
    door: () => door,
    start: (jobs: Jobs, run: Run = () => 'done', given: Limits = { atOnce: 10, perLane: 10 }) => {
      const limits = { perOrganization: given.atOnce, ...given };
      const stop = new AbortController();
      const begun: Job[] = [];
      let busy = 0;
      let maxBusy = 0;
      const inLane = new Map<string, number>();
      let maxInLane = 0;
      const count = ({ lane }: Job, by: 1 | -1) => {
        busy += by;
        inLane.set(lane, (inLane.get(lane) ?? 0) + by);
        maxBusy = Math.max(maxBusy, busy);
        maxInLane = Math.max(maxInLane, inLane.get(lane) ?? 0);
      };
      const counted = async (job: Job) => {
        begun.push(job);
        count(job, 1);
        try {
          return await run(job);
        } finally {
          count(job, -1);
        }
      };
      const worker = {
        begun: () => begun,
        has: (id: string) => begun.some((job) => job.id === id),
        peak: () => ({ atOnce: maxBusy, perLane: maxInLane }),
        stop: () => stop.abort(),
        ended: jobs.work({ run: counted, ...limits }, stop.signal),
      };
      workers.push(worker);
      return worker;
    },
  };
};

/** Starts a process that begins `count` jobs and completes none; returns a function that kills the process. */
export const startHolder = async (where: string, count: number, leaseMs: number) => {
  const program = fileURLToPath(new URL('./job-holder.ts', import.meta.url));
  const args = ['--import', 'tsx', program, where, String(count), String(leaseMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.unref();
  process.once('exit', () => child.kill('SIGKILL'));
  const held: string[] = [];
  createInterface(child.stdout).on('line', (id) => held.push(id));
  holders.push(child);
  await until('the holder has begun its jobs', () => held.length === count);
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
};

/** Starts a process that runs the jobs of the queue on the Redis at `url`. */
export const startWorker = (url: string) => {
  const program = fileURLToPath(new URL('./job-worker.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.unref();
  process.once('exit', () => child.kill('SIGKILL'));
  holders.push(child);
  const gone = once(child, 'close');
  let worked = false;
  createInterface(child.stdout).on('line', () => (worked = true));
  return {
    hasWorked: () => until('the process has run a job', () => worked),
    /** Asks the process to stop, and returns its exit code once it has ended. */
    end: async (): Promise<number | null> => {
      child.kill('SIGTERM');
      const [code] = await gone;
      return code;
    },
  };
};
