import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import type { Block, Chain, Header, Interest } from '../../../application/ports/chain.js';
import type { Log } from '../../../application/ports/system.js';
import { failInvalidAnswer, NodeFault } from '../../nodes/node-fault.js';
import { type Answers, readBalances } from './balances.js';
import { blockOf } from './block.js';
import { type Changes, headerAhead, headerAt, headerNamed, prefetch, wholeCheckpoint } from './checkpoints.js';
import { createFeed, defaultTimes, type FeedTimes } from './feed.js';
import { createHistory, type History } from './history.js';
import { chainIdOf, createNodes, type Node, type NodeOptions } from './nodes.js';
import { createPrefetchedCheckpoints, type PrefetchedCheckpoints } from './prefetched-checkpoints.js';
import { describeCoin, findTokens, readCoinContract } from './tokens.js';
import { type Checkpoint, headerOf } from './wire.js';

const defaults = { deadlineMs: 10_000, timeoutMs: 4000, maxBytes: 64 * 1024 * 1024 };
/** Factor on the timeouts for whole checkpoints, the slowest answers of a node. */
const blockTimeoutFactor = 3;
const maxCachedHeaders = 2048;
const maxCachedChanges = 1024;
const maxCachedBalances = 10_000;
/**
 * Creates a cache for the headers of checkpoints whose block was read. The header of an unread block is not trusted,
 * because the node may be wrong.
 */
const createReadHeaders = () => {
  const readHeaders = createBoundedCache<number | string, Header>(maxCachedHeaders);
  return {
    get: readHeaders.get,
    keep: ({ number, hash, parentHash, time }: Header) => {
      for (const key of [number, hash]) readHeaders.set(key, { number, hash, parentHash, time });
    },
    /**
     * Rejects a checkpoint whose parent hash is not the hash of the previous checkpoint, provided that the previous one
     * was read.
     */
    check: ({ number, parentHash }: Header) => {
      const before = readHeaders.get(number - 1);
      if (before && before.hash !== parentHash)
        failInvalidAnswer('returned a checkpoint that does not follow the previous one');
    },
  };
};
type ReadHeaders = ReturnType<typeof createReadHeaders>;
type Known = { readonly readHeaders: ReadHeaders; readonly prefetched: PrefetchedCheckpoints };

/**
 * Creates readers of headers. While the chain is followed, the header of an unread checkpoint is fetched together with
 * the checkpoint's contents, which saves one request per checkpoint.
 */
const createHeaders = (history: History, { readHeaders, prefetched }: Known, isFollowing: () => boolean) => {
  const ask = (number: number) => {
    if (!isFollowing() || !prefetched.isWanted(number)) return history.at(number, (node) => headerAt(node, number));
    return history.at(number, (node) => headerAhead(node, number, prefetched), { timeoutFactor: blockTimeoutFactor });
  };
  const known = (checkpoint: Checkpoint | undefined) => (checkpoint ? headerOf(checkpoint) : undefined);
  return {
    at: async (number: number) => readHeaders.get(number) ?? known(prefetched.at(number)) ?? (await ask(number)),
    of: async (digest: string) =>
      readHeaders.get(digest) ??
      known(prefetched.of(digest)) ??
      (await history.of((node) => headerNamed(node, digest))),
  };
};

const createBlocks = (history: History, { readHeaders, prefetched }: Known) => {
  /**
   * Reads a block from its prefetched checkpoint. Returns null if there is no such checkpoint or it is invalid: the
   * block must then be fetched.
   */
  const readPrefetched = async (digest: string, interest: Interest) => {
    const checkpoint = prefetched.of(digest);
    if (!checkpoint) return null;
    try {
      return await blockOf(checkpoint, interest);
    } catch (error) {
      if (!(error instanceof NodeFault)) throw error;
      prefetched.drop(checkpoint);
      return null;
    }
  };
  return async (digest: string, interest: Interest): Promise<Block | null> => {
    const read = async (node: Node) => {
      const found = await wholeCheckpoint(node, digest);
      return found && (await blockOf(found, interest));
    };
    const block =
      (await readPrefetched(digest, interest)) ?? (await history.of(read, { timeoutFactor: blockTimeoutFactor }));
    if (block) {
      readHeaders.keep(block);
      prefetched.markRead(block.number);
    }
    return block;
  };
};

type SuiOptions = {
  readonly times?: Partial<FeedTimes>;
  /** URLs of nodes with checkpoints that the other nodes have pruned. */
  readonly archiveUrls?: readonly string[];
};

/** Connects to a Sui chain through whichever nodes answer. No node needs to be reachable at the start. */
export const suiChain = async (
  urls: readonly string[],
  log: Log,
  { times, archiveUrls = [], ...options }: Partial<NodeOptions> & SuiOptions = {},
): Promise<Chain> => {
  const nodes = createNodes(urls, log, { ...defaults, ...options });
  const archive = archiveUrls.length > 0 ? createNodes(archiveUrls, log, { ...defaults, ...options }) : null;
  const history = createHistory(nodes, archive);
  const known = { readHeaders: createReadHeaders(), prefetched: createPrefetchedCheckpoints() };
  const feed = createFeed(nodes, { ...defaultTimes, ...times }, (checkpoint, header, { can }) => {
    known.readHeaders.check(header);
    prefetch(known.prefetched, checkpoint, can);
  });
  const headers = createHeaders(history, known, feed.isListening);
  const balances = {
    recent: { asked: createBoundedCache<number, Changes>(maxCachedChanges), prefetched: known.prefetched },
    answers: createBoundedCache(maxCachedBalances) as Answers,
  };
  return {
    // The chain id replaces the first checkpoint's hash, because all nodes may have pruned that checkpoint.
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
