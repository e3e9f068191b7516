/**
 * Work that is due at a certain time. The queue is fair: organizations take turns, and so do the lanes of an
 * organization. A lane is a group of jobs, such as the deliveries to one webhook. A job delays other jobs of its lane,
 * but hardly delays jobs of other lanes or organizations.
 */
export type Job = { readonly id: string; readonly organization: string; readonly lane: string };

/** Result of a job: finished, or due again at a time (Unix ms). */
export type JobOutcome = 'done' | { readonly again: number };

type Work = {
  readonly run: (job: Job) => Promise<JobOutcome>;
  /** Maximum number of concurrent jobs in this process: in total, `perOrganization` and `perLane`. */
  readonly atOnce: number;
  readonly perOrganization: number;
  readonly perLane: number;
};

/**
 * Queue with at-least-once delivery to any process. The queue may lose or repeat jobs. The events are the source of
 * truth, from which lost jobs are added again. A job therefore contains only identifiers.
 */
export interface Jobs {
  /**
   * Adds jobs that are due from `at` (Unix ms). For a job that is already queued, the earlier time applies. A running
   * job is run once more after it has ended, because it may have started before the reason for the new job arose.
   */
  put(jobs: readonly (Job & { readonly at: number })[]): Promise<void>;
  /** Removes queued jobs; a running job is not stopped. */
  remove(ids: readonly string[]): Promise<void>;
  /**
   * Runs due jobs until the signal fires, then finishes the running jobs. Jobs of a process that died are run within
   * five seconds, by another process or by the same process after its restart. A job that throws is retried soon.
   */
  work(work: Work, signal: AbortSignal): Promise<void>;
  /** Counts the queued and running jobs. */
  count(): Promise<number>;
  /** Returns an id that changes when the queue may have lost its jobs. */
  identity(): Promise<string>;
  close(): Promise<void>;
}
