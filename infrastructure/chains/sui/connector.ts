import { setTimeout as sleep } from 'node:timers/promises';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import type { Chain, Header } from '../../../application/ports/chain.js';
import type { Log } from '../../../application/ports/system.js';
import { refuse } from '../../../domain/failure.js';
import { watchHeads } from '../nodes/heads.js';
import { readBalances } from './balances.js';
import { blockOf } from './block.js';
import { type Changes, headerAt, headerNamed, latestHeader, wholeCheckpoint } from './checkpoints.js';
import { chainIdOf, createNodes, type Node, type NodeOptions, type Nodes } from './nodes.js';
import { findTokens } from './tokens.js';

const usual = { deadlineMs: 10_000, answerMs: 4000, mostBytes: 64 * 1024 * 1024 };
/** Whole checkpoints take a node longer than anything else. */
const blockPatience = 3;
const headersKept = 2048;
const changesKept = 1024;
/** A connection over which nothing was heard for so long has ended without saying so. */
const longestSilenceMs = 30_000;

/** Until the stream ends, or falls silent. */
const watch = (client: SuiGrpcClient) => async (notice: () => void, signal: AbortSignal) => {
  const left = new AbortController();
  const abort = AbortSignal.any([signal, left.signal]);
  const request = { readMask: { paths: ['sequence_number'] } };
  const stream = client.subscriptionService.subscribeCheckpoints(request, { abort });
  let heard = 0;
  const listen = async () => {
    for await (const _ of stream.responses) {
      heard++;
      notice();
    }
  };
  const hearken = async () => {
    for (let before = -1; before < heard; ) {
      before = heard;
      await sleep(longestSilenceMs, undefined, { signal: abort, ref: false });
    }
  };
  try {
    await Promise.race([listen(), hearken()]);
  } finally {
    left.abort();
  }
};

/** Of what was once taken nothing changes any more; what was only told of may have been told wrong. */
const createHeaders = (nodes: Nodes) => {
  const taken = createBoundedCache<number | string, Header>(headersKept);
  return {
    keep: ({ number, hash, parentHash, time }: Header) => {
      for (const key of [number, hash]) taken.set(key, { number, hash, parentHash, time });
    },
    at: async (number: number) => taken.get(number) ?? (await nodes.find((node) => headerAt(node, number))),
    of: async (digest: string) => taken.get(digest) ?? (await nodes.find((node) => headerNamed(node, digest))),
  };
};

/** Works with whichever of the nodes answer; none needs to be there at the start. */
export const suiChain = async (
  urls: readonly string[],
  log: Log,
  options: Partial<NodeOptions> = {},
): Promise<Chain> => {
  const nodes = createNodes(urls, log, { ...usual, ...options });
  const headers = createHeaders(nodes);
  const changes = createBoundedCache<number, Changes>(changesKept);
  return {
    // The first checkpoint itself may long be gone from every node.
    genesis: async () => ({ number: 0, hash: await nodes.use(chainIdOf), parentHash: '', time: 0 }),
    head: async () => {
      const heads = await nodes.poll(latestHeader);
      return heads.reduce((highest, other) => (other.number > highest.number ? other : highest));
    },
    finalized: async () => Number.MAX_SAFE_INTEGER,
    hints: (signal) =>
      watchHeads(
        nodes.ways.map(({ client }) => watch(client)),
        AbortSignal.any([signal, nodes.closed]),
      ),
    headerAt: headers.at,
    headerOf: headers.of,
    block: async (digest, interest) => {
      const read = async (node: Node) => {
        const found = await wholeCheckpoint(node, digest);
        return found && (await blockOf(found, interest, node.can));
      };
      const block = await nodes.find(read, { patience: blockPatience });
      if (block) headers.keep(block);
      return block;
    },
    balances: (holdings, at) => readBalances(nodes, changes, holdings, at),
    contract: async () => refuse('FAILED_PRECONDITION', 'there are no token contracts on a chain of this kind'),
    tokenUri: async () => '',
    tokens: findTokens(nodes),
    close: nodes.close,
  };
};
