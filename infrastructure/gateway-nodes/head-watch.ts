import { setTimeout as sleep } from 'node:timers/promises';
import { linkedController } from '../../application/async/linked-controller.js';
import type { Head } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { isImpossible } from '../nodes/impossible-head.js';
import { createFinality, createHeadPoller, headOf } from './head-poller.js';
import type { Identity } from './identity/identity.js';
import type { Member, TimedHead } from './member.js';

const minPauseMs = 200;
const maxPauseMs = 2000;
/** Milliseconds without requests and watchers after which polling stops. */
const idleMs = 15_000;

/** Returns the greatest height that a healthy node of the chain has reported; 0 if there is none. */
const tipOf = (members: readonly Member[]) =>
  members.reduce((most, member) => Math.max(most, member.isUp() ? member.height() : 0), 0);

const bestOf = (members: readonly Member[], reported: Head | null): Head | null => {
  const tip = members.reduce((most, member) => Math.max(most, member.isUp() ? (member.head()?.number ?? 0) : 0), 0);
  const highest = members.filter((member) => member.isUp() && member.head()?.number === tip);
  const heads = highest.flatMap((member) => member.head() ?? []);
  // The reported head is kept if a node at the greatest height has it, so that two nodes on different forks do not
  // cause a reorg at each poll.
  return heads.find(({ hash }) => hash === reported?.hash) ?? heads[0] ?? null;
};

/**
 * Creates a check that finds heads which the chain cannot have reached. Every new head is compared with those of all
 * nodes, because either of two heads that contradict each other may be the newer one.
 */
const createHeadCheck = (members: readonly Member[]) => {
  const headsBeside = (member: Member) =>
    members.flatMap((other) => (other === member ? [] : (other.reportedHead() ?? [])));
  return {
    setHead: (member: Member, head: TimedHead) => {
      member.setHead(head);
      for (const one of members) {
        const reported = one.reportedHead();
        one.setImpossible(reported !== null && isImpossible(reported, headsBeside(one)));
      }
    },
    /** Returns whether the chain cannot have reached the height, which the node gave in an answer to a caller. */
    isImpossible: (member: Member, number: number) => isImpossible({ number }, headsBeside(member)),
  };
};

/**
 * Subscribes to the heads of a node until the signal aborts. Polling finds the heads that a broken subscription misses.
 */
const listenForHeads = async (
  member: Member,
  hear: (member: Member, header: unknown) => void,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    await member.listen?.('newHeads', (header: unknown) => hear(member, header), signal).catch(() => undefined);
    await sleep(minPauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
};

/** Creates a watch, which polls the heads of the nodes while there are requests or watchers. */
export const createHeadWatch = (members: readonly Member[], log: Log, identity: Identity) => {
  const watchers = new Set<() => void>();
  const closing = new AbortController();
  const { setHead, isImpossible } = createHeadCheck(members);
  const poller = createHeadPoller(members, identity, setHead);
  const finality = createFinality(members);
  let reported: Head | null = null;
  let usedAt = 0;
  let isRunning = false;

  const notify = () => {
    const now = bestOf(members, reported);
    if (!now || now.hash === reported?.hash) return false;
    reported = now;
    for (const watcher of watchers) watcher();
    return true;
  };
  const run = async () => {
    let pauseMs = minPauseMs;
    while (!closing.signal.aborted && (watchers.size > 0 || performance.now() - usedAt < idleMs)) {
      await poller.pollRound();
      pauseMs = Math.min(Math.max(pauseMs * (notify() ? 0.7 : 1.3), minPauseMs), maxPauseMs);
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  };
  const wake = () => {
    usedAt = performance.now();
    if (isRunning) return;
    isRunning = true;
    run()
      .catch((error: unknown) => log.error({ err: error }, 'Polling of node heads stopped'))
      .finally(() => {
        isRunning = false;
      });
  };
  const hear = (member: Member, header: unknown) => {
    setHead(member, headOf(header));
    notify();
  };

  return {
    tip: () => tipOf(members),
    poll: poller.poll,
    isImpossible,
    wake,
    finality,
    /** Resets all heads after the nodes switched to another chain. */
    forget: () => {
      reported = null;
      for (const member of members) member.forget();
      finality.forget();
    },
    /** Polls the heads now; `null` when no node answers. */
    head: async (): Promise<Head | null> => {
      await poller.pollFreshRound();
      notify();
      return bestOf(members, reported);
    },
    watch: (onChange: () => void, signal: AbortSignal) => {
      const { signal: either } = linkedController(signal, closing.signal);
      watchers.add(onChange);
      either.addEventListener('abort', () => watchers.delete(onChange), { once: true });
      for (const member of members) if (member.listen) void listenForHeads(member, hear, either);
      wake();
    },
    closed: closing.signal,
    close: () => closing.abort(),
  };
};

export type HeadWatch = ReturnType<typeof createHeadWatch>;
