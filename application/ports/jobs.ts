/**
 * Work to be done at a certain time. Organizations take turns, and so do the lanes of an organization: jobs of one lane
 * may delay each other, but hardly those of another lane, and still less those of another organization.
 */
export type Job = { readonly id: string; readonly organization: string; readonly lane: string };

/** Result of a job: finished, or due again at a time (Unix ms). */
export type JobOutcome = 'done' | { readonly again: number };

type Work = {
  readonly run: (job: Job) => Promise<JobOutcome>;
  /** Number of jobs done at once in this process, and of those of one organization and in one lane. */
  readonly atOnce: number;
  readonly perOrganization: number;
  readonly perLane: number;
};

/**
 * Queue of jobs that are done at least once, by any process. It may lose or repeat jobs: they are put again from the
 * event stream, which is the truth, so a job carries nothing but its id.
 */
export interface Jobs {
  /**
   * Adds jobs that are due from `at` (Unix ms). Of a job that waits already, the earlier time counts; one that is being
   * done is done once more afterwards, since the work may have begun before the reason for the new job.
   */
  put(jobs: readonly (Job & { readonly at: number })[]): Promise<void>;
  /** Removes jobs that have not begun; one that is being done is not stopped. */
  remove(ids: readonly string[]): Promise<void>;
  /**
   * Does jobs as they come due until the signal fires, then finishes those it has begun. Jobs of a process that died
   * are done within five seconds, by another process or by the same one after its restart; a job whose work fails is
   * done again soon.
   */
  work(work: Work, signal: AbortSignal): Promise<void>;
  /** Counts the jobs that wait or are being done. */
  count(): Promise<number>;
  /** Returns an id that changes when the queue may have lost its jobs. */
  identity(): Promise<string>;
  close(): Promise<void>;
}
