import * as grpc from '@grpc/grpc-js';
import type { Log, Readable } from './log.js';

export type Rpc = 'append' | 'batchAppend' | 'appendMany' | 'read';
export type Moment = 'before' | 'after';
export type Failure = Error & {
  readonly code: grpc.status;
  readonly details: string;
  readonly metadata: grpc.Metadata;
};

/** Trailers of a failed call, by which a server names the kind of error. */
export type Trailers = Readonly<Record<string, string>>;

export type Faults = {
  fail(rpc: Rpc, status: grpc.status, times: number, when: Moment, trailers?: Trailers): void;
  /**
   * Returns the failure that a test planned for a call at this moment, and counts it as used; undefined if there is
   * none.
   */
  due(rpc: Rpc, when: Moment): Failure | undefined;
  muted: boolean;
  mutedAfterCommit: boolean;
  /** Number of calls and appends that got no answer because of `muted` or `mutedAfterCommit`. */
  unanswered: number;
  /** Number of appends that arrived. */
  appends: number;
  /** Sends an answer, or keeps it while answers are held back. */
  answer(send: () => void): void;
  /** Holds back answers to appends while `on` is true; `hold(false)` sends them in order. */
  hold(on: boolean): void;
  /** Number of answers that are held back. */
  readonly held: number;
  /** Sends answers to appends `ms` milliseconds apart, as a busy server does; 0 sends them at once. */
  pace(ms: number): void;
  /** Runs before each read is served, so that a test can act like another process between two reads. */
  beforeRead: (stream: string | undefined) => unknown;
  /** Milliseconds between two events of a read, and the number of events after which each read fails. */
  readPace: { readonly ms: number; readonly breaksAfter: number };
};

export const failure = (code: grpc.status, details: string, trailers: Trailers = {}): Failure => {
  const metadata = new grpc.Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return Object.assign(new Error(details), { code, details, metadata });
};

/** Returns the error for a read or an append of a stream that has a tombstone. */
export const streamDeleted = (stream: string): Failure => {
  const problem = failure(grpc.status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`);
  problem.metadata.set('exception', 'stream-deleted');
  problem.metadata.set('stream-name', stream);
  return problem;
};

export const steady = { ms: 0, breaksAfter: Number.POSITIVE_INFINITY };

export const createFaults = (): Faults => {
  type Plan = { readonly status: grpc.status; readonly when: Moment; readonly trailers: Trailers; left: number };
  const planned = new Map<Rpc, Plan>();
  let waiting: (() => void)[] | null = null;
  let [paceMs, free] = [0, 0];
  const paced = (send: () => void) => {
    free = Math.max(free, Date.now()) + paceMs;
    setTimeout(send, free - Date.now());
  };
  return {
    answer: (send) => {
      if (waiting !== null) waiting.push(send);
      else if (paceMs > 0) paced(send);
      else send();
    },
    pace: (ms) => {
      paceMs = ms;
    },
    hold: (on) => {
      const kept = waiting ?? [];
      waiting = on ? kept : null;
      if (!on) for (const send of kept) send();
    },
    get held() {
      return waiting?.length ?? 0;
    },
    muted: false,
    mutedAfterCommit: false,
    unanswered: 0,
    appends: 0,
    beforeRead: () => undefined,
    readPace: steady,
    fail: (rpc, status, times, when, trailers = {}) => void planned.set(rpc, { status, when, trailers, left: times }),
    due: (rpc, when) => {
      const plan = planned.get(rpc);
      if (!plan || plan.when !== when || plan.left <= 0) return undefined;
      plan.left--;
      return failure(plan.status, `${rpc} fails as planned`, plan.trailers);
    },
  };
};

/** Calls that are being served, so that all of them can be failed at once. */
export type OpenCalls = {
  /** Adds an open call, given a function that fails the call. Returns a function that removes the call. */
  track(fail: (failure: Failure) => void): () => void;
  failAll(failure: Failure): void;
  /** Fails all open calls, and new ones until `open` is called. */
  shut(failure: Failure): void;
  open(): void;
};

export const createOpenCalls = (): OpenCalls => {
  const calls = new Set<(failure: Failure) => void>();
  let gone: Failure | undefined;
  const failAll = (problem: Failure) => {
    for (const fail of [...calls]) fail(problem);
    calls.clear();
  };
  return {
    track: (fail) => {
      calls.add(fail);
      // Fails the call a microtask later, because the handler of the call is still setting it up.
      const problem = gone;
      if (problem) queueMicrotask(() => fail(problem));
      return () => void calls.delete(fail);
    },
    failAll,
    shut: (problem) => {
      gone = problem;
      failAll(problem);
    },
    open: () => {
      gone = undefined;
    },
  };
};

/** State that the handlers of one double share. */
export type Node = {
  readonly log: Log;
  /**
   * Role in the cluster: leader if `leaderPort` is null, follower if it is a number. `seen` is the part of the log that
   * the node serves.
   */
  readonly role: { leaderPort: number | null; seen: Readable };
  readonly faults: Faults;
  /** Maximum size of one append in bytes: the server's setting MaxAppendSize. */
  readonly maxBytes: number;
  readonly calls: OpenCalls;
  /**
   * Calls `changed` after each write and each change of `faults.muted`, until the returned function is called.
   */
  watch(changed: () => void): () => void;
};
