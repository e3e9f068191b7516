import { setTimeout as sleep } from 'node:timers/promises';
import type { Head } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { createFinality, createHeadPoller, headOf } from './head-poller.js';
import type { Identity } from './identity/identity.js';
import type { Member } from './member.js';

const shortestPauseMs = 200;
const maxPauseMs = 2000;
/** Time without a question after which the heads are no longer read. */
const idleMs = 15_000;

/** Returns the greatest height that a node in use told of. */
const tipOf = (members: readonly Member[]) =>
  members.reduce((most, member) => Math.max(most, member.isUp() ? member.height() : 0), 0);

const bestOf = (members: readonly Member[], told: Head | null): Head | null => {
  const tip = members.reduce((most, member) => Math.max(most, member.isUp() ? (member.head()?.number ?? 0) : 0), 0);
  const highest = members.filter((member) => member.isUp() && member.head()?.number === tip);
  const heads = highest.flatMap((member) => member.head() ?? []);
  // The reported head stays while a node has it, so that two nodes on two forks do not cause one reorganization after the other.
  return heads.find(({ hash }) => hash === told?.hash) ?? heads[0] ?? null;
};

/** Follows the heads of the nodes for as long as anybody asks or watches. */
export const createHeadWatch = (members: readonly Member[], log: Log, identity: Identity) => {
  const watchers = new Set<() => void>();
  const closing = new AbortController();
  const poller = createHeadPoller(members, identity);
  const finality = createFinality(members);
  let told: Head | null = null;
  let usedAt = 0;
  let isRunning = false;

  const notify = () => {
    const now = bestOf(members, told);
    if (!now || now.hash === told?.hash) return false;
    told = now;
    for (const watcher of watchers) watcher();
    return true;
  };
  const run = async () => {
    let pauseMs = shortestPauseMs;
    while (!closing.signal.aborted && (watchers.size > 0 || performance.now() - usedAt < idleMs)) {
      await poller.once();
      pauseMs = Math.min(Math.max(pauseMs * (notify() ? 0.7 : 1.3), shortestPauseMs), maxPauseMs);
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  };
  const wake = () => {
    usedAt = performance.now();
    if (isRunning) return;
    isRunning = true;
    run()
      .catch((error: unknown) => log.error({ err: error }, 'the heads of the nodes are no longer polled'))
      .finally(() => {
        isRunning = false;
      });
  };
  /** Subscribes to the heads of a node for as long as anybody watches; heads that are lost meanwhile are found by polling. */
  const listen = async (member: Member, signal: AbortSignal) => {
    const hear = (header: unknown) => {
      member.see(headOf(header));
      notify();
    };
    while (!signal.aborted) {
      await member.listen?.('newHeads', hear, signal).catch(() => undefined);
      await sleep(shortestPauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };

  return {
    tip: () => tipOf(members),
    look: poller.look,
    wake,
    finality,
    /** Forgets all heads, after the chain became another one. */
    forget: () => {
      told = null;
      for (const member of members) member.forget();
      finality.forget();
    },
    /** Reads the heads now. */
    head: async (): Promise<Head | null> => {
      await poller.afresh();
      notify();
      return bestOf(members, told);
    },
    watch: (notice: () => void, signal: AbortSignal) => {
      const either = AbortSignal.any([signal, closing.signal]);
      watchers.add(notice);
      either.addEventListener('abort', () => watchers.delete(notice), { once: true });
      for (const member of members) if (member.listen) void listen(member, either);
      wake();
    },
    closed: closing.signal,
    close: () => closing.abort(),
  };
};

export type HeadWatch = ReturnType<typeof createHeadWatch>;
