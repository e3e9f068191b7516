import { type LogFilter, matches } from '../../domain/log-filter.js';
import type { Node } from '../ports/node.js';
import type { System } from '../ports/system.js';
import { type ChainEvents, createHeadFollower } from './follow-heads.js';
import type { FollowedLog } from './followed-block.js';
import { type Hear, type Leave, type Told, tell } from './notification.js';
import { createSyncingFeed } from './syncing-feed.js';

/** Of a header and of its hash. */
type HearHead = (header: Told, hash: Told) => void;
type LogListener = { readonly filter: LogFilter; readonly hear: Hear };

/** What happens on one chain, for all connections. Nothing is asked of nodes while nobody listens. */
export type ChainFeed = {
  /** Resolves once everything that happens from now on is told; the result ends it. */
  onHeads(hear: HearHead): Promise<Leave>;
  onLogs(filter: LogFilter, hear: Hear): Promise<Leave>;
  onPending(hear: Hear): Promise<Leave>;
  onSyncing(hear: Hear): Promise<Leave>;
};

/** The follower goes on for a while, lest each client that comes back starts it anew. */
const lingerMs = 30_000;
/** So many looks at filters before others get their turn. */
const breatheEvery = 5000;
/** So many clients are told of a block before others get their turn. */
const toldAtOnce = 500;

const tellLogs = (listeners: ReadonlySet<LogListener>, { breathe }: System) => {
  let looks = 0;
  const tellLog = async (log: FollowedLog, removed: boolean) => {
    let told: Told | null = null;
    for (const { filter, hear } of listeners) {
      if (++looks % breatheEvery === 0) await breathe();
      if (!matches(filter, log)) continue;
      told ??= tell({ ...log, removed });
      hear(told);
    }
  };
  return async (logs: readonly FollowedLog[], removed: boolean) => {
    for (const log of logs) await tellLog(log, removed);
  };
};

/** The one follower of a chain: starts with the first who listens, ends some time after the last. */
const createFollowing = (node: Node, system: System, events: ChainEvents, isWanted: () => boolean) => {
  type Running = { readonly follower: ReturnType<typeof createHeadFollower>; readonly ready: Promise<void> };
  let running: Running | null = null;
  let idle = 0;

  const stop = () => {
    running?.follower.stop();
    running = null;
  };
  const start = (): Running => {
    const follower = createHeadFollower(node, system, events);
    const started = { follower, ready: follower.start() };
    started.ready.catch(() => {
      if (running === started) stop();
    });
    return started;
  };
  return {
    /** Running, and up to date as far as nodes answer. */
    join: async () => {
      idle++;
      running ??= start();
      const { ready, follower } = running;
      await ready;
      await follower.catchUp();
    },
    leave: async () => {
      if (isWanted() || !running) return;
      const since = ++idle;
      await system.sleep(lingerMs, node.closed);
      if (idle === since && !isWanted()) stop();
    },
  };
};

export const createChainFeed = (node: Node, system: System): ChainFeed => {
  const heads = new Set<HearHead>();
  const logs = new Set<LogListener>();
  const pending = new Set<Hear>();
  const tellOf = tellLogs(logs, system);
  let watchingPending: { readonly ending: AbortController; readonly begun: Promise<void> } | null = null;

  const tellPending = (hash: string) => {
    const told = tell(hash);
    for (const hear of pending) hear(told);
  };
  const events: ChainEvents = {
    added: async ({ header, hash, logs: found }) => {
      const [toldHeader, toldHash] = [tell(header), tell(hash)];
      let told = 0;
      for (const hear of heads) {
        if (++told % toldAtOnce === 0) await system.breathe();
        hear(toldHeader, toldHash);
      }
      await tellOf(found, false);
    },
    removed: async (blocks, added) => {
      const logsGone = blocks.flatMap((block) => block.logs);
      await tellOf(logsGone, true);
      const again = new Set(added.flatMap(({ transactions }) => transactions));
      for (const hash of blocks.flatMap(({ transactions }) => transactions)) if (!again.has(hash)) tellPending(hash);
    },
  };
  const following = createFollowing(node, system, events, () => heads.size + logs.size + pending.size > 0);

  const watchPending = () => {
    const ending = new AbortController();
    return { ending, begun: node.watchPending(tellPending, ending.signal) };
  };
  const join = async <T>(listeners: Set<T>, listener: T): Promise<Leave> => {
    await following.join();
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (pending.size === 0) {
        watchingPending?.ending.abort();
        watchingPending = null;
      }
      void following.leave();
    };
  };
  return {
    onHeads: (hear) => join(heads, hear),
    onLogs: (filter, hear) => join(logs, { filter, hear }),
    onPending: async (hear) => {
      const leave = await join(pending, hear);
      watchingPending ??= watchPending();
      await watchingPending.begun;
      return leave;
    },
    onSyncing: createSyncingFeed(node, system),
  };
};
