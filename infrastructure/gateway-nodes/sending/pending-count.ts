import { createCancellation } from '../../../application/async/cancellation.js';
import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import type { Ask, Terms } from '../hedged-request.js';
import type { Member } from '../member.js';

/** Time for which a node that took a transaction is waited for, since others may not have heard of the transaction. */
const remembersMs = 60_000;
/** Time for which all answers are waited for. */
const maxMs = 2000;

/** Remembers which nodes took a transaction lately. */
export const createAccepted = () => {
  const at = new Map<Member, number>();
  return {
    note: (member: Member) => {
      at.set(member, performance.now());
    },
    isRecent: (member: Member) => performance.now() - (at.get(member) ?? Number.NEGATIVE_INFINITY) < remembersMs,
  };
};

export const isPendingCount = ({ method, params }: RpcCall): boolean =>
  method === 'eth_getTransactionCount' && params[1] === 'pending';

/** Reads a count; null when the answer holds none. */
const countIn = (answer: RpcAnswer): bigint | null => {
  try {
    return 'result' in answer ? BigInt(JSON.parse(Buffer.from(answer.result).toString())) : null;
  } catch {
    return null;
  }
};

const largestOf = (answers: readonly RpcAnswer[]): RpcAnswer | null =>
  answers.reduce<RpcAnswer | null>((best, one) => {
    const count = countIn(one);
    return count !== null && (best === null || count > (countIn(best) ?? 0n)) ? one : best;
  }, null);

/**
 * Asks all nodes at once for a number of transactions and gives the largest, because a transaction that was just sent is
 * not known to all of them; null when none tells. Nodes that are slower than the first by `hedgeMs` are not waited for,
 * unless they took a transaction lately.
 */
export const largestCount = (
  members: readonly Member[],
  ask: Ask<RpcAnswer>,
  { hedgeMs, cancellation }: Terms,
  isAwaited: (member: Member) => boolean,
): Promise<RpcAnswer | null> => {
  const startedAt = performance.now();
  const asking = createCancellation();
  const running = new Set(members.filter((member) => !member.isResting()));
  const answers: RpcAnswer[] = [];
  return new Promise((resolve) => {
    const finish = () => {
      for (const timer of timers) clearTimeout(timer);
      stay();
      asking.cancel();
      resolve(largestOf(answers));
    };
    const timers = [setTimeout(finish, maxMs)];
    const stay = cancellation.onCancel(finish);
    let isLate = false;
    const finishIfDone = () => {
      const awaited = isLate ? [...running].filter(isAwaited) : [...running];
      if (awaited.length > 0) return;
      for (const member of running) member.stumble(startedAt);
      finish();
    };
    const hurry = () => {
      isLate = true;
      finishIfDone();
    };
    const note = (answer: RpcAnswer) => {
      answers.push(answer);
      if (answers.length === 1 && countIn(answer) !== null) timers.push(setTimeout(hurry, hedgeMs));
    };
    const start = async (member: Member) => {
      await ask(member, asking).then(
        ({ answer }) => note(answer),
        () => undefined,
      );
      running.delete(member);
      if (!asking.isCancelled()) finishIfDone();
    };
    for (const member of running) void start(member);
    if (running.size === 0) finish();
  });
};
