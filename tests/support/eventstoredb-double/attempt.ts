import type { Metadata, sendUnaryData } from '@grpc/grpc-js';
import type { ProposedEvent } from './events.js';
import type { Failure, Faults, Node, Rpc } from './faults.js';
import type { ExpectedRevision, Outcome } from './log.js';
import { notLeader } from './role.js';

export type Append = {
  readonly stream: string;
  readonly events: readonly ProposedEvent[];
  readonly expected: ExpectedRevision;
};

const isTooLarge = (events: readonly ProposedEvent[], maxBytes: number) =>
  events.reduce((sum, { type, data, metadata }) => sum + data.length + metadata.length + 2 * type.length, 0) > maxBytes;

export type Answered = Outcome | { readonly accepted: false; readonly tooLarge: number };
type Attempt =
  | { readonly answer: 'outcome'; readonly outcome: Answered }
  | { readonly answer: 'failure'; readonly failure: Failure }
  | { readonly answer: 'none' };

/** Runs an append under the current faults, for both Append and BatchAppend. */
export const attempt = (
  node: Node,
  rpc: Rpc,
  { stream, events, expected }: Append,
  call: { readonly metadata: Metadata },
): Attempt => {
  const { log, faults, maxBytes } = node;
  faults.appends++;
  if (faults.muted) return silence(faults);
  const failure = faults.due(rpc, 'before') ?? notLeader(node, call);
  if (failure) return { answer: 'failure', failure };
  const outcome = isTooLarge(events, maxBytes)
    ? ({ accepted: false, tooLarge: maxBytes } as const)
    : log.commit(stream, events, expected);
  const loss = faults.due(rpc, 'after');
  if (loss) return { answer: 'failure', failure: loss };
  return faults.mutedAfterCommit ? silence(faults) : { answer: 'outcome', outcome };
};

const silence = (faults: Faults): Attempt => {
  faults.unanswered++;
  return { answer: 'none' };
};

/**
 * Wraps the callback of a call: only the first answer is passed on, or a failure if the node goes away before. A
 * cancelled call is no longer tracked.
 */
export const answerOnce = <Response>(
  node: Node,
  call: { on(event: 'cancelled', listener: () => void): unknown },
  callback: sendUnaryData<Response>,
) => {
  let open = true;
  const finish = (problem: Failure | null, response?: Response) => {
    if (!open) return;
    open = false;
    forget();
    callback(problem, response);
  };
  const forget = node.calls.track(finish);
  call.on('cancelled', forget);
  return { finish, isOpen: () => open };
};
