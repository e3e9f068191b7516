import { type Cancellation, createCancellation } from '../../application/async/cancellation.js';
import { NodeTimeout } from '../../application/ports/node.js';
import { Failure } from '../../domain/failure.js';
import { NodeFault } from '../nodes/node-fault.js';
import type { Member } from './member.js';

/**
 * Levels of doubt about an answer, in ascending order of how likely another node has a better answer. The least
 * doubtful answer wins.
 */
const byDoubt = ['none', 'empty', 'lacking', 'failing'] as const;
export type Doubt = (typeof byDoubt)[number];
const isLess = (one: Doubt, other: Doubt) => byDoubt.indexOf(one) < byDoubt.indexOf(other);

export type Attempt<T> = { readonly answer: T; readonly doubt: Doubt };

/** Sends the request to one node. */
export type Ask<T> = (member: Member, cancellation: Cancellation) => Promise<Attempt<T>>;

export type Terms = {
  /** Milliseconds without an answer after which the next node is asked as well. */
  readonly hedgeMs: number;
  readonly deadlineMs: number;
  readonly cancellation: Cancellation;
};

/** Request to one node. `at` is the time at which it was sent, and `place` the number of requests sent before it. */
type Asked = { readonly member: Member; readonly place: number; readonly at: number };

/** Milliseconds to wait for a better answer of another node after the first doubtful answer. */
const graceMs = 500;

const unreachable = () => new Failure('UNAVAILABLE', 'No node of this chain is reachable. Retry later.');

/**
 * Asks the only node and accepts its answer even if the answer is doubtful. Retries once, because a kept-alive
 * connection may close while the request is sent.
 */
const askOnly = <T>(member: Member, ask: Ask<T>, { deadlineMs, cancellation }: Terms): Promise<T> =>
  new Promise((resolve, reject) => {
    if (cancellation.isCancelled()) return reject(unreachable());
    const asking = createCancellation(cancellation.receive);
    const end = (error: unknown) => {
      clearTimeout(timer);
      stopListening();
      reject(error as Error);
      asking.cancel();
    };
    const timer = setTimeout(() => end(new NodeTimeout()), deadlineMs);
    const stopListening = cancellation.onCancel(() => end(unreachable()));
    const take = ({ answer }: Attempt<T>) => {
      clearTimeout(timer);
      stopListening();
      resolve(answer);
    };
    const fail = (error: unknown) => end(error instanceof NodeFault ? unreachable() : error);
    const repeat = (error: unknown) => {
      if (!(error instanceof NodeFault) || asking.isCancelled()) fail(error);
      else ask(member, asking).then(take, fail);
    };
    return void ask(member, asking).then(take, repeat);
  });

/** Asks one node after the other: the next one after a failure, after a doubtful answer and, once, after `hedgeMs`. */
const askSeveral = <T>(
  members: readonly Member[],
  ask: Ask<T>,
  { hedgeMs, deadlineMs, cancellation }: Terms,
): Promise<T> =>
  new Promise((resolve, reject) => {
    // A kept-alive connection may close while the request is sent, so a node that has not answered may be asked a
    // second time.
    const left = [...members, ...members];
    const running = new Map<ReturnType<typeof createCancellation>, Asked>();
    const answered = new Set<Member>();
    const timers: NodeJS.Timeout[] = [];
    let doubted: Attempt<T> | null = null;
    let isOver = false;
    let asked = 0;

    const finish = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      stopListening();
      for (const timer of timers) clearTimeout(timer);
      for (const asking of running.keys()) asking.cancel();
      settle();
    };
    const stopListening = cancellation.onCancel(() => finish(() => reject(unreachable())));
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
    const win = (answer: T, place: number) => {
      // Nodes that were asked before the winner and have not answered yet are slower than the winner.
      for (const slower of running.values()) if (slower.place < place) slower.member.noteSlowAnswer(slower.at);
      finish(() => resolve(answer));
    };
    const start = (member: Member) => {
      const asking = createCancellation(cancellation.receive);
      const place = asked++;
      running.set(asking, { member, place, at: performance.now() });
      ask(member, asking).then(
        (attempt) => {
          running.delete(asking);
          answered.add(member);
          if (isOver) return;
          if (attempt.doubt === 'none') win(attempt.answer, place);
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
    /** Returns false for a node in cooldown if a doubtful answer other than a failure is available. */
    const isWorthAsking = (member: Member) => !doubted || doubted.doubt === 'failing' || !member.isResting();
    const startNext = (): void => {
      const at = left.findIndex((member) => !answered.has(member) && isWorthAsking(member));
      const [member] = at < 0 ? [] : left.splice(at, 1);
      if (member) start(member);
      else if (running.size === 0) giveUp();
    };

    later(deadlineMs, () => (doubted ? giveUp() : finish(() => reject(new NodeTimeout()))));
    later(hedgeMs, () => running.size === 1 && answered.size === 0 && startNext());
    startNext();
  });

/**
 * Asks the nodes in the given order: the next node is asked when an answer is late or doubtful. Resolves to the first
 * answer without doubt, otherwise to the least doubtful one.
 */
export const hedgedRequest = <T>(members: readonly Member[], ask: Ask<T>, terms: Terms): Promise<T> => {
  const [only] = members;
  return only && members.length === 1 ? askOnly(only, ask, terms) : askSeveral(members, ask, terms);
};
