import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Job, JobOutcome, Jobs } from '../../application/ports/jobs.js';

type Run = (job: Job) => Promise<JobOutcome> | JobOutcome;

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const until = async (what: string, isSo: () => boolean | Promise<boolean>, ms = 5000) => {
  const latest = Date.now() + ms;
  while (!(await isSo())) {
    assert.ok(Date.now() < latest, `not within ${ms} ms: ${what}`);
    await sleep(5);
  }
};
export const named = (count: number, lane: string | ((n: number) => string), at = 0) =>
  Array.from({ length: count }, (_, n) => ({
    id: `${typeof lane === 'string' ? lane : 'job'}-${n}`,
    lane: typeof lane === 'string' ? lane : lane(n),
    at,
  }));
export const ids = (jobs: readonly Job[]) => jobs.map(({ id }) => id).sort();

/** A door that jobs wait at until it is opened. */
const createDoor = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

/** Workers that note what they begin; whatever they wait for is let go when the test is over. */
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
  });
  return {
    door: () => door,
    start: (jobs: Jobs, run: Run = () => 'done', limits = { atOnce: 10, perLane: 10 }) => {
      const stop = new AbortController();
      const begun: Job[] = [];
      let busy = 0;
      let mostBusy = 0;
      const inLane = new Map<string, number>();
      let mostInLane = 0;
      const count = ({ lane }: Job, by: 1 | -1) => {
        busy += by;
        inLane.set(lane, (inLane.get(lane) ?? 0) + by);
        mostBusy = Math.max(mostBusy, busy);
        mostInLane = Math.max(mostInLane, inLane.get(lane) ?? 0);
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
        most: () => ({ atOnce: mostBusy, perLane: mostInLane }),
        stop: () => stop.abort(),
        ended: jobs.work({ run: counted, ...limits }, stop.signal),
      };
      workers.push(worker);
      return worker;
    },
  };
};

/** A process that has so many jobs in hand and never ends one; gives what kills it and tells when. */
export const startHolder = async (where: string, count: number) => {
  const program = fileURLToPath(new URL('./job-holder.ts', import.meta.url));
  const args = ['--import', 'tsx', program, where, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.unref();
  process.once('exit', () => child.kill('SIGKILL'));
  const held: string[] = [];
  createInterface(child.stdout).on('line', (id) => held.push(id));
  await until('it has the jobs in hand', () => held.length === count, 20_000);
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    return Date.now();
  };
};
