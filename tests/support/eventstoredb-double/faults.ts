import * as grpc from '@grpc/grpc-js';
import type { Log } from './log.js';

export type Rpc = 'append' | 'batchAppend' | 'read';
export type Moment = 'before' | 'after';
export type Failure = Error & {
  readonly code: grpc.status;
  readonly details: string;
  readonly metadata: grpc.Metadata;
};

export type Faults = {
  fail(rpc: Rpc, status: grpc.status, times: number, when: Moment): void;
  /** The failure due for this call at this moment, used up by asking. */
  due(rpc: Rpc, when: Moment): Failure | undefined;
  muted: boolean;
  mutedAfterCommit: boolean;
  /** How many calls and appends muting has left without an answer. */
  unanswered: number;
};

export const failure = (code: grpc.status, details: string): Failure =>
  Object.assign(new Error(details), { code, details, metadata: new grpc.Metadata() });

export const createFaults = (): Faults => {
  const planned = new Map<Rpc, { readonly status: grpc.status; readonly when: Moment; left: number }>();
  return {
    muted: false,
    mutedAfterCommit: false,
    unanswered: 0,
    fail: (rpc, status, times, when) => void planned.set(rpc, { status, when, left: times }),
    due: (rpc, when) => {
      const plan = planned.get(rpc);
      if (!plan || plan.when !== when || plan.left <= 0) return undefined;
      plan.left--;
      return failure(plan.status, `${rpc} fails as planned`);
    },
  };
};

/** Every call being served, so that all of them can be failed at once. */
export type OpenCalls = {
  /** Takes how to fail the call; gives how to forget it. */
  track(fail: (failure: Failure) => void): () => void;
  failAll(failure: Failure): void;
  /** Fails every call, and those that were on their way, until it is opened again. */
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
      // Not at once: the handler is still setting the call up.
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

/** What the handlers of one double share. */
export type Node = {
  readonly log: Log;
  readonly faults: Faults;
  readonly calls: OpenCalls;
  /** Calls back when events were written or the node was unmuted, until told to forget. */
  watch(changed: () => void): () => void;
};
