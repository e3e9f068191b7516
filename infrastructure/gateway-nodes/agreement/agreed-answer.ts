import { createCancellation } from '../../../application/async/cancellation.js';
import { NodeTimeout, type RpcAnswer } from '../../../application/ports/node.js';
import { Failure } from '../../../domain/failure.js';
import type { Ask, Attempt, Doubt, Terms } from '../hedged-request.js';
import type { Member } from '../member.js';

export type Agreement = {
  /** Number of nodes that must give the same answer. */
  readonly needed: number;
  /** Returns a key that is equal for equivalent answers, even if nodes encode them differently. */
  digest(answer: RpcAnswer): string;
  /** Resolves to true if the answer contradicts itself. A contradictory answer does not count as a vote. */
  isDoubtful(answer: RpcAnswer): Promise<boolean>;
};

const believed: readonly Doubt[] = ['none', 'empty'];

/** Creates a ballot, which counts how many nodes gave each answer. */
const createBallot = ({ needed, digest }: Agreement) => {
  const counts = new Map<string, number>();
  const doubted = new Map<string, number>();
  let last: RpcAnswer | null = null;
  const add = (tally: Map<string, number>, answer: RpcAnswer) => {
    const key = digest(answer);
    const count = (tally.get(key) ?? 0) + 1;
    tally.set(key, count);
    return count >= needed;
  };
  return {
    most: () => Math.max(0, ...counts.values()),
    /** Counts a node's answer. Returns the answer if enough nodes have given it, otherwise null. */
    cast: ({ answer, doubt }: Attempt<RpcAnswer>): RpcAnswer | null => {
      if (believed.includes(doubt)) return add(counts, answer) ? answer : null;
      // Answers of nodes that lack the data, fail or contradict themselves count only when there are no other answers.
      if (add(doubted, answer) || last === null) last = answer;
      return null;
    },
    /**
     * Ends a vote without a winner. If all answers are doubtful, returns one of them, provided that they are all equal
     * or that the returned one is a JSON-RPC error. Throws in all other cases.
     */
    close: (isLate: boolean): RpcAnswer => {
      const isAlike = doubted.size === 1 || (last !== null && 'error' in last);
      if (counts.size === 0 && last && isAlike) return last;
      if (counts.size + doubted.size > 0)
        throw new Failure(
          'UNAVAILABLE',
          `Nodes do not agree: ${needed} of them must give the same answer. Retry later.`,
        );
      throw isLate ? new NodeTimeout() : new Failure('UNAVAILABLE', 'No node of this chain is reachable. Retry later.');
    },
  };
};

/**
 * Asks `needed` nodes until `needed` nodes have given the same answer. Asks one more node for each node that fails or
 * gives a different answer, and one more after `hedgeMs`.
 */
export const agreedAnswer = (
  members: readonly Member[],
  ask: Ask<RpcAnswer>,
  { hedgeMs, deadlineMs, cancellation }: Terms,
  agreement: Agreement,
): Promise<RpcAnswer> =>
  new Promise((resolve, reject) => {
    // A kept-alive connection may close while the request is sent, so a node that has not answered may be asked a
    // second time.
    const left = [...members, ...members];
    const answered = new Set<Member>();
    /** Nodes that have not answered yet, in the order of the requests, each with the time of its request. */
    const awaited = new Map<Member, number>();
    const asking = createCancellation();
    const ballot = createBallot(agreement);
    const finish = (settle: () => void) => {
      if (asking.isCancelled()) return;
      for (const timer of timers) clearTimeout(timer);
      stopListening();
      asking.cancel();
      settle();
    };
    const close = (isLate: boolean) =>
      finish(() => {
        try {
          resolve(ballot.close(isLate));
        } catch (error) {
          reject(error as Error);
        }
      });
    const examine = async (attempt: Attempt<RpcAnswer>): Promise<Attempt<RpcAnswer>> =>
      attempt.doubt === 'none' && (await agreement.isDoubtful(attempt.answer))
        ? { answer: attempt.answer, doubt: 'lacking' }
        : attempt;
    const win = (answer: RpcAnswer, winner: Member) => {
      // Nodes that were asked before the winner and have not answered yet are slower than the winner.
      for (const [slower, at] of awaited) {
        if (slower === winner) break;
        slower.noteSlowAnswer(at);
      }
      finish(() => resolve(answer));
    };
    const start = async (member: Member) => {
      awaited.set(member, performance.now());
      const attempt = await ask(member, asking).then(examine, () => null);
      if (asking.isCancelled()) return;
      if (attempt) answered.add(member);
      const agreed = attempt && ballot.cast(attempt);
      if (agreed) return win(agreed, member);
      awaited.delete(member);
      continueAsking();
    };
    const startNext = () => {
      const at = left.findIndex((member) => !answered.has(member) && !awaited.has(member));
      const [member] = at < 0 ? [] : left.splice(at, 1);
      if (member) start(member).catch(() => close(false));
      return member !== undefined;
    };
    const continueAsking = () => {
      while (awaited.size + ballot.most() < agreement.needed && startNext());
      if (awaited.size === 0) close(false);
    };
    const timers = [
      setTimeout(() => close(true), deadlineMs),
      setTimeout(() => answered.size < agreement.needed && startNext(), hedgeMs),
    ];
    const stopListening = cancellation.onCancel(() => close(false));
    continueAsking();
  });
