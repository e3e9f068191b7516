import { createWaiter, type Waiter } from '../../application/gateway/waiter.js';
import { NodeTimeout } from '../../application/ports/node.js';
import { Failure } from '../../domain/failure.js';
import { NodeFault } from '../chains/nodes/node-fault.js';
import type { Member } from './member.js';

/** An answer to be had; doubted while another node may know better. */
export type Attempt<T> = { readonly answer: T; readonly isDoubted: boolean };

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
    let doubted: { readonly answer: T } | null = null;
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

    const doubt = (answer: T) => {
      if (!doubted) later(graceMs, giveUp);
      doubted ??= { answer };
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
        ({ answer, isDoubted }) => {
          running.delete(asking);
          answered.add(member);
          if (!isOver) (isDoubted ? doubt : win)(answer);
        },
        (error: unknown) => {
          running.delete(asking);
          if (isOver) return;
          if (error instanceof NodeFault) startNext();
          else finish(() => reject(error as Error));
        },
      );
    };
    const startNext = (): void => {
      const at = left.findIndex((member) => !answered.has(member) && !(doubted && member.isResting()));
      const [member] = at < 0 ? [] : left.splice(at, 1);
      if (member) start(member);
      else if (running.size === 0) giveUp();
    };

    later(deadlineMs, () => (doubted ? giveUp() : finish(() => reject(new NodeTimeout()))));
    if (members.length > 1) later(hedgeMs, () => running.size === 1 && answered.size === 0 && startNext());
    startNext();
  });
