import { createCancellation } from '../../../application/async/cancellation.js';
import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import type { Ask, Terms } from '../hedged-request.js';
import type { Member } from '../member.js';

/**
 * Milliseconds for which the count of a node that accepted a transaction is always awaited, because other nodes may not
 * know the transaction yet.
 */
const recentMs = 60_000;
/** Maximum wait for all answers, in milliseconds. */
const maxMs = 2000;

/** Tracks which nodes recently accepted a transaction. */
export const createAccepted = () => {
  const at = new Map<Member, number>();
  return {
    note: (member: Member) => {
      at.set(member, performance.now());
    },
    isRecent: (member: Member) => performance.now() - (at.get(member) ?? Number.NEGATIVE_INFINITY) < recentMs,
  };
};

export const isPendingCount = ({ method, params }: RpcCall): boolean =>
  method === 'eth_getTransactionCount' && params[1] === 'pending';

/** Reads a transaction count; null when the answer contains no count. */
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
 * Asks all nodes for a pending transaction count and resolves to the largest one, because not every node knows a
 * transaction that was just sent. Resolves to null when no node returns a count. Nodes that are more than `hedgeMs`
 * slower than the first are awaited only if they recently accepted a transaction.
 */
export const largestCount = (
  members: readonly Member[],
  ask: Ask<RpcAnswer>,
  { hedgeMs, cancellation }: Terms,
  isAwaited: (member: Member) => boolean,
): Promise<RpcAnswer | null> => {
  const startedAt = performance.now();
  const asking = createCancellation();
  // A node that accepted a transaction is asked even in cooldown, because the other nodes may not know the transaction.
  const isAsked = (member: Member) => !member.isResting() || (isAwaited(member) && !member.isForeign());
  const running = new Set(members.filter(isAsked));
  const answers: RpcAnswer[] = [];
  return new Promise((resolve) => {
    const finish = () => {
      for (const timer of timers) clearTimeout(timer);
      stopListening();
      asking.cancel();
      resolve(largestOf(answers));
    };
    const timers = [setTimeout(finish, maxMs)];
    const stopListening = cancellation.onCancel(finish);
    let isLate = false;
    const finishIfDone = () => {
      const awaited = isLate ? [...running].filter(isAwaited) : [...running];
      if (awaited.length > 0) return;
      for (const member of running) member.noteSlowAnswer(startedAt);
      finish();
    };
    const stopWaiting = () => {
      isLate = true;
      finishIfDone();
    };
    const note = (answer: RpcAnswer) => {
      answers.push(answer);
      if (answers.length === 1 && countIn(answer) !== null) timers.push(setTimeout(stopWaiting, hedgeMs));
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
