import { createCancellation } from '../../../application/async/cancellation.js';
import type { RpcAnswer } from '../../../application/ports/node.js';
import type { Member } from '../member.js';
import { answerFrom, isInformative, lost, type Outcome, outcomeOf, unsent } from './outcome.js';

type BroadcastTerms = {
  /** Checks which chain the node serves; rejects unless it is the expected one. */
  verify(member: Member): Promise<void>;
  /** Called with each node that accepts the transaction. */
  accepted(member: Member): void;
  readonly deadlineMs: number;
  /** Milliseconds to wait, after the first rejection, for another node to accept the transaction. */
  readonly graceMs: number;
};

/**
 * Sends a transaction to all nodes at once. Resolves with the answer of the first node that accepts it. Sending cannot
 * be cancelled by the caller.
 */
export const broadcast = (
  members: readonly Member[],
  raw: string,
  { verify, accepted, deadlineMs, graceMs }: BroadcastTerms,
): Promise<RpcAnswer> => {
  const params = JSON.stringify([raw]);
  const outcomes: Outcome[] = [];
  const cancellation = createCancellation();
  return new Promise((resolve, reject) => {
    let left = members.length;
    const settle = () => {
      try {
        resolve(answerFrom(raw, outcomes, left > 0));
      } catch (error) {
        reject(error as Error);
      }
    };
    const timers = [setTimeout(settle, deadlineMs), setTimeout(cancellation.cancel, deadlineMs)];
    const end = () => {
      left--;
      if (left > 0) return;
      for (const timer of timers) clearTimeout(timer);
      settle();
    };
    const note = (outcome: Outcome) => {
      if (isInformative(outcome) && !outcomes.some(isInformative)) timers.push(setTimeout(settle, graceMs));
      outcomes.push(outcome);
      end();
    };
    const take = (member: Member, answer: RpcAnswer) => {
      if ('error' in answer) return note(outcomeOf(answer.error));
      accepted(member);
      resolve({ result: answer.result, source: { node: members.indexOf(member), attempts: members.length } });
      return end();
    };
    const send = (member: Member) =>
      member.exchange('eth_sendRawTransaction', params, cancellation).then(
        (answer) => take(member, answer),
        () => note(lost),
      );
    for (const member of members)
      verify(member).then(
        () => send(member),
        () => note(unsent),
      );
  });
};
