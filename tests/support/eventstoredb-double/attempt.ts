import type { Failure, Faults, Node, Rpc } from './faults.js';
import type { ExpectedRevision, Outcome, ProposedEvent } from './log.js';

export type Append = {
  readonly stream: string;
  readonly events: readonly ProposedEvent[];
  readonly expected: ExpectedRevision;
};

type Attempt =
  | { readonly answer: 'outcome'; readonly outcome: Outcome }
  | { readonly answer: 'failure'; readonly failure: Failure }
  | { readonly answer: 'none' };

/** What becomes of an append under the faults of the moment; the same for both append ways. */
export const attempt = ({ log, faults }: Node, rpc: Rpc, { stream, events, expected }: Append): Attempt => {
  if (faults.muted) return silence(faults);
  const refusal = faults.due(rpc, 'before');
  if (refusal) return { answer: 'failure', failure: refusal };
  const outcome = log.commit(stream, events, expected);
  const loss = faults.due(rpc, 'after');
  if (loss) return { answer: 'failure', failure: loss };
  return faults.mutedAfterCommit ? silence(faults) : { answer: 'outcome', outcome };
};

const silence = (faults: Faults): Attempt => {
  faults.unanswered++;
  return { answer: 'none' };
};
