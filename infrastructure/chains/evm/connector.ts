import type { Chain, Header } from '../../../application/ports/chain.js';
import type { Log } from '../../../application/ports/system.js';
import { refuse } from '../../../domain/failure.js';
import { watchHeads } from '../nodes/heads.js';
import { NodeFault, nullIfMissing, wrong } from '../nodes/node-fault.js';
import { createPace } from '../nodes/pace.js';
import { readBalances } from './balances.js';
import { blockOf } from './block.js';
import type { CheckedBlock } from './checked-block.js';
import { fetchBlock } from './fetch-block.js';
import { createNodes, type Node, type NodeOptions, type Nodes } from './nodes.js';
import { evmSending } from './sending.js';
import { readContract, readTokenUri } from './tokens.js';
import { fetchTraces, type Traces } from './traces.js';
import { header, inHex } from './wire.js';

export type EvmOptions = Partial<NodeOptions> & {
  /** How deep a block counts as final where the node does not know the tag `finalized`. */
  readonly finalDepth?: number;
};

const usual = { deadlineMs: 10_000, answerMs: 4000, mostBytes: 64 * 1024 * 1024, batchSize: 100, finalDepth: 64 };
/** Whole blocks, and tracing more so, take a node longer than anything else. */
const blockPatience = 3;

const latest = async (node: Node): Promise<Header> =>
  header(await node.call('eth_getBlockByNumber', ['latest', false]));

const headerIn = async (answer: Promise<unknown>, isAsked: (found: Header) => boolean): Promise<Header | null> => {
  const raw = await nullIfMissing(answer);
  if (raw === null) return null;
  const found = header(raw);
  return isAsked(found) ? found : wrong('another block than was asked for');
};
const headerAt = (node: Node, number: number) =>
  headerIn(node.call('eth_getBlockByNumber', [inHex(number), false]), (found) => found.number === number);
const headerOf = (node: Node, hash: string) =>
  headerIn(node.call('eth_getBlockByHash', [hash, false]), (found) => found.hash === hash);

/** Whatever a node says instead of a block means that it does not know the tag. */
const tagged = async (node: Node): Promise<Header | null> => {
  try {
    const block = await node.call('eth_getBlockByNumber', ['finalized', false]);
    return block === null ? null : header(block);
  } catch (error) {
    if (error instanceof NodeFault && ['refused', 'unsupported', 'missing'].includes(error.kind)) return null;
    throw error;
  }
};

const createTracing = (nodes: Nodes, log: Log) => {
  const mayTrace = ({ can }: Pick<Node, 'can'>) => can.traces !== false;
  let isTold = false;
  const tell = () => {
    if (!isTold) log.warn({}, 'no node of the chain can trace: native coins that contracts send are not seen');
    isTold = true;
    return null;
  };
  /** Null only when every node has said that it cannot; one that is merely away may be the one that can. */
  return async ({ runsCode, header: { hash }, transactions }: CheckedBlock): Promise<Traces | null> => {
    if (!runsCode) return null;
    const hashes = transactions.map((transaction) => transaction.hash);
    const trace = (node: Node) => fetchTraces(node, hash, hashes, createPace());
    try {
      return nodes.ways.some(mayTrace) ? await nodes.use(trace, { patience: blockPatience, among: mayTrace }) : tell();
    } catch (error) {
      if (nodes.ways.some(mayTrace)) throw error;
      return tell();
    }
  };
};

/** Works with whichever of the nodes answer; none needs to be there at the start. */
export const evmChain = async (urls: readonly string[], log: Log, options: EvmOptions = {}): Promise<Chain> => {
  const { finalDepth, ...limits } = { ...usual, ...options };
  const nodes = createNodes(urls, log, limits);
  const traces = createTracing(nodes, log);
  return {
    genesis: async () => {
      const first = await nodes.find((node) => headerAt(node, 0));
      return first ?? refuse('NODE_ERROR', 'no node of the chain knows its first block');
    },
    head: async () => {
      const heads = await nodes.poll(latest);
      // At equal height the first node's, lest two nodes on two forks make one reorganization after the other.
      return heads.reduce((highest, other) => (other.number > highest.number ? other : highest));
    },
    finalized: () =>
      nodes.use(async (node) => {
        const final = await tagged(node);
        return final ? final.number : Math.max((await latest(node)).number - finalDepth, 0);
      }),
    hints: (signal) => {
      const watchers = nodes.ways.flatMap(({ transport }) => transport.watchHeads ?? []);
      return watchHeads(watchers, AbortSignal.any([signal, nodes.closed]));
    },
    headerAt: (number) => nodes.find((node) => headerAt(node, number)),
    headerOf: (hash) => nodes.find((node) => headerOf(node, hash)),
    block: (hash, interest) => {
      const read = async (node: Node) => {
        const checked = await fetchBlock(node, hash);
        return checked && (await blockOf(checked, await traces(checked), interest, createPace()));
      };
      return nodes.find(read, { patience: blockPatience });
    },
    balances: (holdings, at) => readBalances(nodes, holdings, at),
    contract: readContract(nodes),
    tokenUri: readTokenUri(nodes),
    sending: evmSending(nodes),
    tokens: async () => refuse('FAILED_PRECONDITION', 'no tokens are imported on a chain of this kind'),
    close: () => nodes.close(),
  };
};
