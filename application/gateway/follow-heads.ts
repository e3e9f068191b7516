import { fail } from '../../domain/failure.js';
import type { Head, Node } from '../ports/node.js';
import type { System } from '../ports/system.js';
import { type FollowedBlock, type FollowedLog, fetchBlock, fetchHash, fetchLogs } from './followed-block.js';

/** Block with its logs, which are reported as removed if the block is replaced. */
type PathBlock = FollowedBlock & { readonly logs: readonly FollowedLog[] };

export type ChainEvents = {
  added(block: PathBlock): Promise<void>;
  /** Reports replaced blocks in ascending order, as nodes do; `added` holds the blocks that replace them. */
  removed(blocks: readonly PathBlock[], added: readonly FollowedBlock[]): Promise<void>;
};

/** Number of remembered blocks, more than any chain takes to settle its head; fewer if their logs exceed `maxLogs`. */
const maxPathLength = 512;
const maxLogs = 100_000;
const pauseMs = 100;
const maxPauseMs = 2000;
/** Times and time for which nodes must say that a block has no logs, although its bloom filter says otherwise, to be believed. */
const maxDenials = 20;
const maxDenialMs = 10_000;
/** Number of blocks that are read before they are reported; a longer gap is filled in pieces that stay when one fails. */
const maxAhead = 64;

/** Time after which a head below all remembered blocks is taken for a replaced chain rather than a node that lags. */
const believedAfterMs = 60_000;

/** Newest blocks that were followed, each the parent of the next. */
const createPath = () => {
  let blocks: PathBlock[] = [];
  const trim = () => {
    let logs = blocks.reduce((sum, block) => sum + block.logs.length, 0);
    while (blocks.length > maxPathLength || (logs > maxLogs && blocks.length > 1))
      logs -= blocks.shift()?.logs.length ?? 0;
  };
  return {
    tip: () => blocks.at(-1),
    oldest: () => blocks[0],
    has: (hash: string) => blocks.some((block) => block.hash === hash),
    restart: (block: FollowedBlock) => {
      blocks = [{ ...block, logs: [] }];
    },
    push: (block: PathBlock) => {
      blocks.push(block);
      trim();
    },
    /** Removes the blocks above the given one and returns them. */
    cutAbove: (hash: string) => blocks.splice(blocks.findIndex((block) => block.hash === hash) + 1),
  };
};

/**
 * Runs `work` one run at a time. `now` rejects when its run fails; `soon` repeats a failed run after growing pauses.
 */
const createSerialRunner = (work: () => Promise<void>, system: System, signal: AbortSignal) => {
  let last: Promise<void> = Promise.resolve();
  let fails = 0;
  let isDue = false;
  let isPausing = false;

  const now = () => {
    const mine = last.then(async () => {
      if (signal.aborted) return;
      await work();
      fails = 0;
    });
    last = mine.catch(() => undefined);
    return mine;
  };
  const retry = async () => {
    fails++;
    // Each new head makes a run, and one pause at a time is enough for those that fail.
    if (isPausing) return;
    isPausing = true;
    await system.sleep(Math.min(pauseMs * fails, maxPauseMs), signal);
    isPausing = false;
    if (!signal.aborted) soon();
  };
  const soon = () => {
    if (isDue) return;
    isDue = true;
    void last.then(() => {
      isDue = false;
      return now().catch(retry);
    });
  };
  return { now, soon };
};

/** Fetches the logs of blocks, and believes only repeated denials of logs that a block announces. */
const createLogReader = (node: Node, { log, now }: System) => {
  let denied = { hash: '', times: 0, since: 0 };
  return async (block: FollowedBlock): Promise<readonly FollowedLog[]> => {
    const logs = await fetchLogs(node, block);
    if (logs) return logs;
    if (denied.hash !== block.hash) denied = { hash: block.hash, times: 0, since: now() };
    denied.times++;
    if (denied.times < maxDenials || now() - denied.since < maxDenialMs)
      return fail('NODE_ERROR', 'no node has logs of a block that announces some');
    log.warn(
      { block: block.hash },
      'no node has logs of a block whose bloom filter says that it has some: none are reported',
    );
    return [];
  };
};

/**
 * Follows the heads of one chain for all subscribers and reports each block once and in order, also across reconnects.
 */
export const createHeadFollower = (node: Node, system: System, events: ChainEvents) => {
  const path = createPath();
  const stop = new AbortController();
  const ended = AbortSignal.any([stop.signal, node.closed]);
  const logsOf = createLogReader(node, system);
  let belowSince: number | null = null;

  /** Tells whether the head comes from a node that has not caught up with the path yet, so that nothing was removed. */
  const lags = ({ number }: Head): boolean => {
    if (number >= (path.oldest()?.number ?? 0)) belowSince = null;
    else belowSince ??= system.now();
    return belowSince !== null && system.now() - belowSince < believedAfterMs;
  };

  /** Returns the blocks between the path and the given one, ascending. */
  const branchTo = async (hash: string): Promise<FollowedBlock[]> => {
    const branch: FollowedBlock[] = [];
    for (let wanted = hash; !path.has(wanted); ) {
      const block = await fetchBlock(node, wanted);
      // The block was replaced, or the node that told of it is away; only the next look at the head can tell.
      if (!block) return fail('UNAVAILABLE', 'no node has the newest block of the chain');
      branch.unshift(block);
      if (block.number <= (path.oldest()?.number ?? 0)) return branch;
      wanted = block.parentHash;
    }
    return branch;
  };
  const follow = async (branch: readonly FollowedBlock[]) => {
    const [first, newest] = [branch[0], branch.at(-1)];
    if (!first || !newest) return;
    if (!path.has(first.parentHash)) {
      // No remembered block is an ancestor, so the blocks in between cannot be reported.
      system.log.error(
        { head: newest.number },
        'the chain was replaced below the oldest remembered block: blocks in between are not reported',
      );
      return path.restart(newest);
    }
    const removed = path.cutAbove(first.parentHash);
    if (removed.length > 0) await events.removed(removed, branch);
    for (const block of branch) {
      const added = { ...block, logs: await logsOf(block) };
      path.push(added);
      await events.added(added);
    }
  };
  const advance = async () => {
    for (let isThere = false; !isThere && !ended.aborted; ) {
      const head = await node.head();
      if (lags(head)) return;
      const next = (path.tip()?.number ?? head.number) + maxAhead;
      isThere = head.number <= next;
      await follow(await branchTo(isThere ? head.hash : await fetchHash(node, next)));
    }
  };
  const runner = createSerialRunner(advance, system, ended);

  return {
    /** Starts at the current head. */
    start: async () => {
      const block = await fetchBlock(node, (await node.head()).hash);
      if (!block) return fail('UNAVAILABLE', 'the newest block of the chain was replaced while it was read: try again');
      path.restart(block);
      node.watchHeads(runner.soon, ended);
    },
    /** Reports everything up to the current head, as far as nodes answer. */
    catchUp: () => runner.now().catch(runner.soon),
    stop: () => stop.abort(),
  };
};
