import { createWaiter, type Waiter } from '../../application/async/cancellation.js';
import { NodeTimeout } from '../../application/ports/node.js';
import { Failure } from '../../domain/failure.js';
import { NodeFault } from '../chains/nodes/node-fault.js';
import type { Member } from './member.js';

/** How far another node may know better, from least to most; the least doubted answer is taken. */
const byDoubt = ['none', 'empty', 'lacking', 'failing'] as const;
export type Doubt = (typeof byDoubt)[number];
const isLess = (one: Doubt, other: Doubt) => byDoubt.indexOf(one) < byDoubt.indexOf(other);

/** An answer to be had. */
export type Attempt<T> = { readonly answer: T; readonly doubt: Doubt };

type Terms = {
  /** After so long the next node is asked as well. */
  readonly hedgeMs: number;
  readonly deadlineMs: number;
  readonly waiter: Waiter;
};

/** How long a doubted answer waits for one that is not. */
const graceMs = 500;

const unreachable = () => new Failure('UNAVAILABLE', 'no node of this chain can be reached');

/** Asks one node after the other: the next when one fails or is in doubt, and, once, when one takes long. */
export const race = <T>(
  members: readonly Member[],
  ask: (member: Member, waiter: Waiter) => Promise<Attempt<T>>,
  { hedgeMs, deadlineMs, waiter }: Terms,
): Promise<T> =>
  new Promise((resolve, reject) => {
    // A connection may have ended just as it was used, so each is tried twice before it is given up.
    const left = [...members, ...members];
    const running = new Map<ReturnType<typeof createWaiter>, Member>();
    const answered = new Set<Member>();
    const timers: NodeJS.Timeout[] = [];
    let doubted: Attempt<T> | null = null;
    let isOver = false;

    const finish = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      stay();
      for (const timer of timers) clearTimeout(timer);
      for (const asking of running.keys()) asking.leave();
      settle();
    };
    const stay = waiter.onLeave(() => finish(() => reject(unreachable())));
    const giveUp = () => {
      const held = doubted;
      finish(() => (held ? resolve(held.answer) : reject(unreachable())));
    };
    const later = (ms: number, work: () => void) => timers.push(setTimeout(work, ms));

    const doubt = (attempt: Attempt<T>) => {
      if (!doubted) later(graceMs, giveUp);
      if (!doubted || isLess(attempt.doubt, doubted.doubt)) doubted = attempt;
      startNext();
    };
    const win = (answer: T) => {
      // Whoever was asked before and still has not answered is the slower one.
      for (const slower of running.values()) slower.stumble();
      finish(() => resolve(answer));
    };
    const start = (member: Member) => {
      const asking = createWaiter();
      running.set(asking, member);
      ask(member, asking).then(
        (attempt) => {
          running.delete(asking);
          answered.add(member);
          if (isOver) return;
          if (attempt.doubt === 'none') win(attempt.answer);
          else doubt(attempt);
        },
        (error: unknown) => {
          running.delete(asking);
          if (isOver) return;
          if (error instanceof NodeFault) startNext();
          else finish(() => reject(error as Error));
        },
      );
    };
    /** One that rests is asked only by who has nothing better than a failure. */
    const isWorthAsking = (member: Member) => !doubted || doubted.doubt === 'failing' || !member.isResting();
    const startNext = (): void => {
      const at = left.findIndex((member) => !answered.has(member) && isWorthAsking(member));
      const [member] = at < 0 ? [] : left.splice(at, 1);
      if (member) start(member);
      else if (running.size === 0) giveUp();
    };

    later(deadlineMs, () => (doubted ? giveUp() : finish(() => reject(new NodeTimeout()))));
    if (members.length > 1) later(hedgeMs, () => running.size === 1 && answered.size === 0 && startNext());
    startNext();
  });
