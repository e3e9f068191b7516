import { NodeTimeout } from '../../application/ports/node.js';
import { Failure } from '../../domain/failure.js';
import { NodeFault } from '../chains/evm/node-fault.js';
import type { Member } from './member.js';

/** An answer to be had; doubted while another node may know better. */
export type Attempt<T> = { readonly answer: T; readonly isDoubted: boolean };

type Terms = {
  /** After so long the next node is asked as well. */
  readonly hedgeMs: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
};

/** How long a doubted answer waits for one that is not. */
const graceMs = 500;

const unreachable = () => new Failure('UNAVAILABLE', 'no node of this chain can be reached');

/** Asks one node after the other: the next when one fails or is in doubt, and, once, when one takes long. */
export const race = <T>(
  members: readonly Member[],
  ask: (member: Member, signal: AbortSignal) => Promise<Attempt<T>>,
  { hedgeMs, deadlineMs, signal }: Terms,
): Promise<T> =>
  new Promise((resolve, reject) => {
    // A connection may have ended just as it was used, so each is tried twice before it is given up.
    const left = [...members, ...members];
    const running = new Map<AbortController, Member>();
    const answered = new Set<Member>();
    const timers: NodeJS.Timeout[] = [];
    let doubted: { readonly answer: T } | null = null;
    let isOver = false;

    const finish = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener('abort', leave);
      for (const timer of timers) clearTimeout(timer);
      for (const controller of running.keys()) controller.abort();
      settle();
    };
    const leave = () => finish(() => reject(unreachable()));
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
      const controller = new AbortController();
      running.set(controller, member);
      ask(member, controller.signal).then(
        ({ answer, isDoubted }) => {
          running.delete(controller);
          answered.add(member);
          if (!isOver) (isDoubted ? doubt : win)(answer);
        },
        (error: unknown) => {
          running.delete(controller);
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

    signal.addEventListener('abort', leave);
    later(deadlineMs, () => (doubted ? giveUp() : finish(() => reject(new NodeTimeout()))));
    if (members.length > 1) later(hedgeMs, () => running.size === 1 && answered.size === 0 && startNext());
    startNext();
  });
