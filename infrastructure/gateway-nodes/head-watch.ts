import { setTimeout as sleep } from 'node:timers/promises';
import type { Head } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { createFinality, createLooks, headOf } from './head-poller.js';
import type { Member } from './member.js';

const shortestPauseMs = 200;
const longestPauseMs = 2000;
/** After so long without a question nobody looks any more. */
const idleMs = 15_000;

const tipOf = (members: readonly Member[]) =>
  members.reduce((most, member) => Math.max(most, member.isUp() ? (member.head()?.number ?? 0) : 0), 0);

const bestOf = (members: readonly Member[], told: Head | null): Head | null => {
  const tip = tipOf(members);
  const highest = members.filter((member) => member.isUp() && member.head()?.number === tip);
  const heads = highest.flatMap((member) => member.head() ?? []);
  // Two nodes on two forks must not make one reorganization after the other.
  return heads.find(({ hash }) => hash === told?.hash) ?? heads[0] ?? null;
};

/** Keeps an eye on how far each node has come, as long as anybody asks or watches. */
export const createLookout = (members: readonly Member[], log: Log) => {
  const watchers = new Set<() => void>();
  const closing = new AbortController();
  const looks = createLooks(members);
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
      await looks.once();
      pauseMs = Math.min(Math.max(pauseMs * (notify() ? 0.7 : 1.3), shortestPauseMs), longestPauseMs);
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  };
  const wake = () => {
    usedAt = performance.now();
    if (isRunning) return;
    isRunning = true;
    run()
      .catch((error: unknown) => log.error({ err: error }, 'the heads of nodes are not looked at any more'))
      .finally(() => {
        isRunning = false;
      });
  };
  /** Told of heads by the node itself, for as long as anybody watches; what is lost meanwhile is found by looking. */
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
    wake,
    finality: createFinality(members),
    /** Looked at now. */
    head: async (): Promise<Head | null> => {
      await looks.afresh();
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

export type Lookout = ReturnType<typeof createLookout>;
