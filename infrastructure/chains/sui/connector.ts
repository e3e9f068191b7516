import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import type { Block, Chain, Header, Interest } from '../../../application/ports/chain.js';
import type { Log } from '../../../application/ports/system.js';
import { failInvalidAnswer, NodeFault } from '../../nodes/node-fault.js';
import { readBalances } from './balances.js';
import { blockOf } from './block.js';
import { type Changes, headerAhead, headerAt, headerNamed, keepWhole, wholeCheckpoint } from './checkpoints.js';
import { createFeed, type FeedTimes, usualTimes } from './feed.js';
import { createHistory, type History } from './history.js';
import { createKeptCheckpoints, type KeptCheckpoints } from './kept-checkpoints.js';
import { chainIdOf, createNodes, type Node, type NodeOptions } from './nodes.js';
import { describeCoin, findTokens, readCoinContract } from './tokens.js';
import { type Checkpoint, headerOf } from './wire.js';

const defaults = { deadlineMs: 10_000, answerMs: 4000, maxBytes: 64 * 1024 * 1024 };
/** Factor on the deadline for whole checkpoints, which take a node longer than anything else. */
const blockPatience = 3;
const headersKept = 2048;
const changesKept = 1024;
const balancesKept = 10_000;
/**
 * Caches headers of checkpoints whose block was read, which are final; a header that only a node reported may be wrong.
 */
const createTaken = () => {
  const taken = createBoundedCache<number | string, Header>(headersKept);
  return {
    get: taken.get,
    keep: ({ number, hash, parentHash, time }: Header) => {
      for (const key of [number, hash]) taken.set(key, { number, hash, parentHash, time });
    },
    /** Refuses a checkpoint that does not follow the one that was read before it. */
    check: ({ number, parentHash }: Header) => {
      const before = taken.get(number - 1);
      if (before && before.hash !== parentHash)
        failInvalidAnswer('a checkpoint that does not follow the one before it');
    },
  };
};
type Taken = ReturnType<typeof createTaken>;
type Known = { readonly taken: Taken; readonly kept: KeptCheckpoints };

/** Reads headers; those ahead of a follower come with their contents, which saves it a request for each. */
const createHeaders = (history: History, { taken, kept }: Known, isFollowing: () => boolean) => {
  const ask = (number: number) => {
    if (!isFollowing() || !kept.isWanted(number)) return history.at(number, (node) => headerAt(node, number));
    return history.at(number, (node) => headerAhead(node, number, kept), { patience: blockPatience });
  };
  const known = (checkpoint: Checkpoint | undefined) => (checkpoint ? headerOf(checkpoint) : undefined);
  return {
    at: async (number: number) => taken.get(number) ?? known(kept.at(number)) ?? (await ask(number)),
    of: async (digest: string) =>
      taken.get(digest) ?? known(kept.of(digest)) ?? (await history.of((node) => headerNamed(node, digest))),
  };
};

const createBlocks = (history: History, { taken, kept }: Known) => {
  /** Reads the block of a checkpoint that is kept; null where it has to be asked for. */
  const readKept = async (digest: string, interest: Interest) => {
    const checkpoint = kept.of(digest);
    if (!checkpoint) return null;
    try {
      return await blockOf(checkpoint, interest);
    } catch (error) {
      if (!(error instanceof NodeFault)) throw error;
      kept.drop(checkpoint);
      return null;
    }
  };
  return async (digest: string, interest: Interest): Promise<Block | null> => {
    const read = async (node: Node) => {
      const found = await wholeCheckpoint(node, digest);
      return found && (await blockOf(found, interest));
    };
    const block = (await readKept(digest, interest)) ?? (await history.of(read, { patience: blockPatience }));
    if (block) {
      taken.keep(block);
      kept.pass(block.number);
    }
    return block;
  };
};

type SuiOptions = {
  readonly times?: Partial<FeedTimes>;
  /** Nodes that have checkpoints which the others have pruned. */
  readonly archiveUrls?: readonly string[];
};

/** Connects a Sui chain through whichever nodes answer; none needs to be up at the start. */
export const suiChain = async (
  urls: readonly string[],
  log: Log,
  { times, archiveUrls = [], ...options }: Partial<NodeOptions> & SuiOptions = {},
): Promise<Chain> => {
  const nodes = createNodes(urls, log, { ...defaults, ...options });
  const archive = archiveUrls.length > 0 ? createNodes(archiveUrls, log, { ...defaults, ...options }) : null;
  const history = createHistory(nodes, archive);
  const known = { taken: createTaken(), kept: createKeptCheckpoints() };
  const feed = createFeed(nodes, { ...usualTimes, ...times }, (checkpoint, header, { can }) => {
    known.taken.check(header);
    keepWhole(known.kept, checkpoint, can);
  });
  const headers = createHeaders(history, known, feed.isListening);
  const balances = {
    recent: { asked: createBoundedCache<number, Changes>(changesKept), kept: known.kept },
    read: createBoundedCache<string, string | null>(balancesKept),
  };
  return {
    // The first checkpoint itself may have been pruned by every node.
    genesis: async () => ({ number: 0, hash: await nodes.use(chainIdOf), parentHash: '', time: 0 }),
    head: feed.head,
    followedHead: feed.followedHead,
    finalized: async () => Number.MAX_SAFE_INTEGER,
    hints: feed.hints,
    headerAt: headers.at,
    headerOf: headers.of,
    block: createBlocks(history, known),
    balances: (holdings, at) => readBalances(nodes, balances, holdings, at),
    contract: readCoinContract(nodes),
    tokenUri: async () => '',
    describe: describeCoin(nodes),
    tokens: findTokens(nodes),
    close: async () => {
      await nodes.close();
      await archive?.close();
    },
  };
};
