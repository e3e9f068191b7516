import { refuse } from '../../domain/failure.js';
import type { Head, Node } from '../ports/node.js';
import type { System } from '../ports/system.js';
import { type FollowedBlock, type FollowedLog, fetchBlock, fetchLogs } from './followed-block.js';

/** A block with what must be told of it again should it be replaced. */
type PathBlock = FollowedBlock & { readonly logs: readonly FollowedLog[] };

export type ChainEvents = {
  added(block: PathBlock): Promise<void>;
  /** In ascending order, as others tell of them; `added` holds what takes their place. */
  removed(blocks: readonly PathBlock[], added: readonly FollowedBlock[]): Promise<void>;
};

/** Longer than any chain takes to settle its head; logs are kept for as many as fit. */
const longestPath = 512;
const mostLogs = 100_000;
const pauseMs = 100;
const longestPauseMs = 2000;
/** A node that keeps saying that a block has no logs is believed in the end. */
const mostTries = 20;

/** After so long a head below all blocks that are remembered is believed to be that of a chain which was replaced. */
const believedAfterMs = 60_000;

/** The newest blocks, linked; those that were followed, not all there are. */
const createPath = () => {
  let blocks: PathBlock[] = [];
  const trim = () => {
    let logs = blocks.reduce((sum, block) => sum + block.logs.length, 0);
    while (blocks.length > longestPath || (logs > mostLogs && blocks.length > 1))
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
    /** Takes off what stands above that block. */
    cutAbove: (hash: string) => blocks.splice(blocks.findIndex((block) => block.hash === hash) + 1),
  };
};

/** Does a piece of work one time after the other; what fails when nobody waits for it is tried again, ever more patiently. */
const createMutex = (work: () => Promise<void>, system: System, signal: AbortSignal) => {
  let last: Promise<void> = Promise.resolve();
  let fails = 0;
  let isDue = false;

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
    await system.sleep(Math.min(pauseMs * fails, longestPauseMs), signal);
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
  return { now, soon, fails: () => fails };
};

/** One follower of the heads of one chain, for everybody who listens: each block once, in order, through every loss. */
export const createHeadFollower = (node: Node, system: System, events: ChainEvents) => {
  const path = createPath();
  const stop = new AbortController();
  const ended = AbortSignal.any([stop.signal, node.closed]);
  let belowSince: number | null = null;

  /** The only node left may have come less far than where the path begins; what it lacks is there still. */
  const lags = ({ number }: Head): boolean => {
    if (number >= (path.oldest()?.number ?? 0)) belowSince = null;
    else belowSince ??= system.now();
    return belowSince !== null && system.now() - belowSince < believedAfterMs;
  };

  /** The blocks from the path to the head, ascending; null when the head is gone. */
  const branchTo = async (hash: string): Promise<FollowedBlock[] | null> => {
    const branch: FollowedBlock[] = [];
    for (let wanted = hash; !path.has(wanted); ) {
      const block = await fetchBlock(node, wanted);
      if (!block) return null;
      branch.unshift(block);
      if (block.number <= (path.oldest()?.number ?? 0)) return branch;
      wanted = block.parentHash;
    }
    return branch;
  };
  const logsOf = async (block: FollowedBlock) => {
    try {
      return await fetchLogs(node, block);
    } catch (error) {
      if (turns.fails() < mostTries) throw error;
      system.log.warn({ block: block.hash }, 'no node knows the logs of a block that should have some');
      return [];
    }
  };
  const advance = async () => {
    const head = await node.head();
    if (lags(head)) return;
    const branch = await branchTo(head.hash);
    const first = branch?.[0];
    if (!branch || !first) return;
    if (!path.has(first.parentHash)) {
      // Nothing that is remembered lies below: what came between cannot be told any more.
      system.log.error({ head: head.number }, 'the chain was replaced from below all blocks that are remembered');
      return path.restart(branch.at(-1) as FollowedBlock);
    }
    const removed = path.cutAbove(first.parentHash);
    if (removed.length > 0) await events.removed(removed, branch);
    for (const block of branch) {
      const added = { ...block, logs: await logsOf(block) };
      path.push(added);
      await events.added(added);
    }
  };
  const turns = createMutex(advance, system, ended);

  return {
    /** From the head as it is now. */
    start: async () => {
      const block = await fetchBlock(node, (await node.head()).hash);
      if (!block) return refuse('UNAVAILABLE', 'the head of the chain is gone');
      path.restart(block);
      node.watchHeads(turns.soon, ended);
    },
    /** Has told of everything up to now, as far as nodes answer. */
    catchUp: () => turns.now().catch(turns.soon),
    stop: () => stop.abort(),
  };
};
