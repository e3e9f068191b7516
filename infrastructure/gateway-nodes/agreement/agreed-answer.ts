import { createCancellation } from '../../../application/async/cancellation.js';
import { NodeTimeout, type RpcAnswer } from '../../../application/ports/node.js';
import { Failure } from '../../../domain/failure.js';
import type { Ask, Attempt, Doubt, Terms } from '../hedged-request.js';
import type { Member } from '../member.js';

export type Agreement = {
  /** Number of nodes that must give the same answer. */
  readonly needed: number;
  /** Returns the same text for answers that mean the same. */
  digest(answer: RpcAnswer): string;
  /** Tells whether an answer that another node gives differently is to be left out. */
  isDoubtful(answer: RpcAnswer): Promise<boolean>;
};

const believed: readonly Doubt[] = ['none', 'empty'];

/** Counts which answers were given how many times. */
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
    /** Returns the answer once enough nodes gave it. */
    cast: ({ answer, doubt }: Attempt<RpcAnswer>): RpcAnswer | null => {
      if (believed.includes(doubt)) return add(counts, answer) ? answer : null;
      // Nodes that lack the data, fail or contradict themselves count only if all others do so too.
      if (add(doubted, answer) || last === null) last = answer;
      return null;
    },
    /** Returns the doubted answer that no node contradicted, or else throws. */
    close: (isLate: boolean): RpcAnswer => {
      const isAlike = doubted.size === 1 || (last !== null && 'error' in last);
      if (counts.size === 0 && last && isAlike) return last;
      if (counts.size + doubted.size > 0)
        throw new Failure('UNAVAILABLE', `the nodes do not agree: ${needed} of them must give the same answer`);
      throw isLate ? new NodeTimeout() : new Failure('UNAVAILABLE', 'no node of this chain can be reached');
    },
  };
};

/** Asks as many nodes as must agree, one more for each that differs, fails or takes long, until enough give the same answer. */
export const agreedAnswer = (
  members: readonly Member[],
  ask: Ask<RpcAnswer>,
  { hedgeMs, deadlineMs, cancellation }: Terms,
  agreement: Agreement,
): Promise<RpcAnswer> =>
  new Promise((resolve, reject) => {
    // A connection may end just as it is used, so each node is tried twice.
    const left = [...members, ...members];
    const heard = new Set<Member>();
    /** Nodes whose answers are awaited, with the time of asking, in the order of asking. */
    const awaited = new Map<Member, number>();
    const asking = createCancellation();
    const ballot = createBallot(agreement);
    const finish = (settle: () => void) => {
      if (asking.isCancelled()) return;
      for (const timer of timers) clearTimeout(timer);
      stay();
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
      // Nodes that were asked before and have not answered yet are slower.
      for (const [slower, at] of awaited) {
        if (slower === winner) break;
        slower.stumble(at);
      }
      finish(() => resolve(answer));
    };
    const start = async (member: Member) => {
      awaited.set(member, performance.now());
      const attempt = await ask(member, asking).then(examine, () => null);
      if (asking.isCancelled()) return;
      if (attempt) heard.add(member);
      const agreed = attempt && ballot.cast(attempt);
      if (agreed) return win(agreed, member);
      awaited.delete(member);
      goOn();
    };
    const startNext = () => {
      const at = left.findIndex((member) => !heard.has(member) && !awaited.has(member));
      const [member] = at < 0 ? [] : left.splice(at, 1);
      if (member) start(member).catch(() => close(false));
      return member !== undefined;
    };
    const goOn = () => {
      while (awaited.size + ballot.most() < agreement.needed && startNext());
      if (awaited.size === 0) close(false);
    };
    const timers = [
      setTimeout(() => close(true), deadlineMs),
      setTimeout(() => heard.size < agreement.needed && startNext(), hedgeMs),
    ];
    const stay = cancellation.onCancel(() => close(false));
    goOn();
  });
