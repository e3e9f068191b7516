/** Something to be done at a time. `lane` is what it must not be delayed with: jobs of one lane wait for each other only. */
export type Job = { readonly id: string; readonly lane: string };

/** What became of a job: it is finished, or is to be done again at a time (Unix ms). */
export type JobOutcome = 'done' | { readonly again: number };

type Work = {
  readonly run: (job: Job) => Promise<JobOutcome>;
  /** So many at once in this process, and so many of them of one lane. */
  readonly atOnce: number;
  readonly perLane: number;
};

/**
 * Jobs that are done at least once, by any process. A queue may lose or double them: the event stream is the truth and
 * puts them anew, so a job carries nothing but its id.
 */
export interface Jobs {
  /** Due from `at` (Unix ms). One that waits under the same id, or is being done, is left as it is. */
  put(jobs: readonly (Job & { readonly at: number })[]): Promise<void>;
  /** It is not begun any more; one that is being done is not stopped. */
  remove(ids: readonly string[]): Promise<void>;
  /**
   * Does jobs as they come due until the signal, then finishes those it has begun. What a process leaves undone because
   * it died is done by another, or by itself when it is back, within five seconds; a job whose work fails is done again soon.
   */
  work(work: Work, signal: AbortSignal): Promise<void>;
  /** How many wait or are being done. */
  count(): Promise<number>;
  /** Another one when the queue may have lost what it held. */
  identity(): Promise<string>;
  close(): Promise<void>;
}
