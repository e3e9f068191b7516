import { fail } from '../../domain/failure.js';
import { linkedController } from '../async/linked-controller.js';
import type { Head, Node } from '../ports/node.js';
import type { System } from '../ports/system.js';
import { type FollowedBlock, type FollowedLog, fetchBlock, fetchHash, fetchLogs } from './followed-block.js';

/** Block with its logs, which are reported as removed if the block is replaced. */
type PathBlock = FollowedBlock & { readonly logs: readonly FollowedLog[] };

export type ChainEvents = {
  added(block: PathBlock): Promise<void>;
  /**
   * Reports replaced blocks in ascending order, as nodes do; `added` has the blocks that replace the reported blocks.
   */
  removed(blocks: readonly PathBlock[], added: readonly FollowedBlock[]): Promise<void>;
};

/**
 * Maximum number of recent blocks that are remembered to detect reorganizations: more blocks than any chain needs to
 * reach finality. Fewer blocks are remembered if they have more than `maxLogs` logs together.
 */
const maxPathLength = 512;
const maxLogs = 100_000;
const pauseMs = 100;
const maxPauseMs = 2000;
/**
 * Minimum number of attempts, and minimum time in milliseconds, after which an empty log list is accepted although the
 * block's bloom filter shows logs. Both minimums must be reached.
 */
const minDenials = 20;
const minDenialMs = 10_000;
/**
 * Maximum number of blocks that are read before the first of these blocks is reported. A larger gap is filled in parts,
 * so that a failure discards the blocks of one part only.
 */
const maxAhead = 64;

/**
 * Time in milliseconds for which a head below all remembered blocks counts as the head of a lagging node. After that
 * time, the chain counts as replaced.
 */
const lagToleranceMs = 60_000;

/** Creates the list of the newest followed blocks, in which each block is the parent of the next. */
const createPath = () => {
  const blocks: PathBlock[] = [];
  let lowest = 0;
  let isTrimmed = false;
  const trim = () => {
    const length = blocks.length;
    let logs = blocks.reduce((sum, block) => sum + block.logs.length, 0);
    while (blocks.length > maxPathLength || (logs > maxLogs && blocks.length > 1))
      logs -= blocks.shift()?.logs.length ?? 0;
    isTrimmed ||= blocks.length < length;
  };
  const push = (block: PathBlock) => {
    blocks.push(block);
    trim();
    lowest = blocks[0]?.number ?? lowest;
  };
  return {
    tip: () => blocks.at(-1),
    /** Returns the number of the oldest block, which is the last known one while the list is empty. */
    lowest: () => lowest,
    /** Returns whether blocks that were followed are no longer in the list. */
    isTrimmed: () => isTrimmed,
    isEmpty: () => blocks.length === 0,
    has: (hash: string) => blocks.some((block) => block.hash === hash),
    push,
    /** Removes the blocks above the block `hash`, or all if it is not in the list, and returns the removed blocks. */
    cutAbove: (hash: string) => blocks.splice(blocks.findIndex((block) => block.hash === hash) + 1),
  };
};

/**
 * Creates functions that run `work` serially. `now` rejects when its run fails; `soon` retries a failed run after
 * increasing pauses.
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
    // Every new head starts a run, so further runs may fail during a pause. One pause at a time is enough for all
    // failed runs.
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

/**
 * Creates a function that fetches the logs of a block. If the bloom filter of the block shows logs and the node
 * returns none, the empty list is accepted only after repeated attempts.
 */
const createLogReader = (node: Node, { log, now }: System) => {
  let denied = { hash: '', times: 0, since: 0 };
  return async (block: FollowedBlock): Promise<readonly FollowedLog[]> => {
    const logs = await fetchLogs(node, block);
    if (logs) return logs;
    if (denied.hash !== block.hash) denied = { hash: block.hash, times: 0, since: now() };
    denied.times++;
    if (denied.times < minDenials || now() - denied.since < minDenialMs)
      return fail(
        'NODE_ERROR',
        `No node returned logs of block ${block.hash}, although its bloom filter announces some.`,
      );
    log.warn(
      { block: block.hash },
      'No node returned logs of a block whose bloom filter announces some; no logs are reported',
    );
    return [];
  };
};

/**
 * Creates a follower of the heads of one chain for all subscribers. The follower reports each block once and in order,
 * even across reconnects.
 */
export const createHeadFollower = (node: Node, system: System, events: ChainEvents) => {
  const path = createPath();
  const stop = linkedController(node.closed);
  const { signal: ended } = stop;
  const logsOf = createLogReader(node, system);
  let belowSince: number | null = null;

  /**
   * Returns true while a head below all remembered blocks counts as the head of a lagging node. No block then counts as
   * removed.
   */
  const lags = ({ number }: Head): boolean => {
    if (number >= path.lowest()) belowSince = null;
    else belowSince ??= system.now();
    return belowSince !== null && system.now() - belowSince < lagToleranceMs;
  };

  /**
   * Returns the blocks after the newest remembered ancestor of the block `hash` up to that block, in ascending order;
   * without a remembered ancestor, the blocks from the height of the oldest remembered block on.
   */
  const branchTo = async (hash: string): Promise<FollowedBlock[]> => {
    const branch: FollowedBlock[] = [];
    for (let wanted = hash; !path.has(wanted); ) {
      const block = await fetchBlock(node, wanted);
      // Rejects if the block was replaced or the node that announced it is unreachable; the next poll of the head
      // retries.
      if (!block)
        return fail('UNAVAILABLE', `No node has block ${wanted}, an ancestor of the head or the head itself.`);
      branch.unshift(block);
      if (block.number <= path.lowest()) return branch;
      wanted = block.parentHash;
    }
    return branch;
  };
  const follow = async (branch: readonly FollowedBlock[]) => {
    const [first] = branch;
    if (!first) return;
    const oldestRemembered = path.lowest();
    const removed = path.cutAbove(first.parentHash);
    if (removed.length > 0 && path.isEmpty() && path.isTrimmed())
      system.log.error(
        { head: branch.at(-1)?.number, oldestRemembered },
        'Reorganization replaced all remembered blocks; subscribers are not notified of older blocks that it replaced',
      );
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
      if (!block) return fail('UNAVAILABLE', 'The newest block was replaced while it was read. Retry the request.');
      path.push({ ...block, logs: [] });
      node.watchHeads(runner.soon, ended);
    },
    /** Reports all blocks up to the current head; retries in the background if the nodes do not answer. */
    catchUp: () => runner.now().catch(runner.soon),
    stop: () => stop.abort(),
  };
};
