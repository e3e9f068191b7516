import { keccak256 } from 'ethers/crypto';
import { createWaiter } from '../../application/async/cancellation.js';
import { NodeTimeout, type RpcAnswer } from '../../application/ports/node.js';
import { Failure } from '../../domain/failure.js';
import type { Member } from './member.js';

const deadlineMs = 30_000;
/** What nodes say to a transaction that they have. */
const alreadyThere = /already known|known transaction|already imported|already exists/i;

type Outcome = { readonly answer: RpcAnswer } | { readonly fault: unknown };

const messageOf = (error: Uint8Array): string => {
  try {
    return String((JSON.parse(Buffer.from(error).toString()) as { message?: unknown }).message);
  } catch {
    return '';
  }
};

const isKnown = (outcome: Outcome) =>
  'answer' in outcome && 'error' in outcome.answer && alreadyThere.test(messageOf(outcome.answer.error));

/** Once all have answered and none took it. */
const verdict = (raw: string, outcomes: readonly Outcome[]): RpcAnswer => {
  // One whose answer was lost may well have taken it and passed it on.
  const mayHaveArrived = outcomes.some((outcome) => 'fault' in outcome) && outcomes.some(isKnown);
  if (mayHaveArrived) return { result: Buffer.from(JSON.stringify(keccak256(raw))) };
  const refused = outcomes.find((outcome) => 'answer' in outcome);
  if (refused && 'answer' in refused) return refused.answer;
  throw new Failure('UNAVAILABLE', 'no node of this chain can be reached');
};

/** To every node at once: the first that takes it answers. Nobody who leaves takes a transaction back. */
export const broadcast = (members: readonly Member[], raw: string): Promise<RpcAnswer> => {
  const params = JSON.stringify([raw]);
  const outcomes: Outcome[] = [];
  const waiter = createWaiter();
  const timer = setTimeout(waiter.leave, deadlineMs).unref();
  return new Promise((resolve, reject) => {
    const note = (place: number, outcome: Outcome) => {
      outcomes[place] = outcome;
      if (Object.keys(outcomes).length < members.length) return;
      clearTimeout(timer);
      try {
        resolve(verdict(raw, outcomes));
      } catch (error) {
        reject(waiter.hasLeft() ? new NodeTimeout() : (error as Error));
      }
    };
    for (const [place, member] of members.entries())
      member.exchange('eth_sendRawTransaction', params, waiter).then(
        (answer) => {
          if ('result' in answer) resolve({ result: answer.result });
          note(place, { answer });
        },
        (fault: unknown) => note(place, { fault }),
      );
  });
};
