import type { Block, Chain, Header } from '../../../application/ports/chain.js';
import type { Log } from '../../../application/ports/system.js';
import { fail } from '../../../domain/failure.js';
import { watchHeads } from '../../nodes/heads.js';
import { checkFinalHeight, createHeadRecord } from '../../nodes/impossible-head.js';
import { failInvalidAnswer, NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { createPace } from '../../pace.js';
import { readBalances } from './balances.js';
import { blockOf } from './block.js';
import { type ChainReceipt, type CheckedBlock, checkAnnounced } from './checked-block.js';
import { fetchBlock } from './fetch-block.js';
import { createTokenSearch } from './logs/token-ids.js';
import { createNodes, firstBlock, type Node, type NodeOptions, type Nodes } from './nodes.js';
import { type Quirk, quirks } from './quirks/quirks.js';
import { isSystem, systemTouches } from './quirks/system-transactions.js';
import { evmSending } from './sending.js';
import { readContract, readTokenUri } from './tokens.js';
import { fetchTraces, type Traces } from './traces.js';
import { header, inHex } from './wire.js';

export type EvmOptions = Partial<NodeOptions> & {
  /** Depth at which a block counts as final if the node does not support the tag `finalized`. Default 64. */
  readonly finalDepth?: number;
};

const defaults = { deadlineMs: 10_000, timeoutMs: 4000, maxBytes: 64 * 1024 * 1024, batchSize: 100, finalDepth: 64 };
/** Factor on the timeouts for whole blocks and traces, the slowest answers of a node. */
const blockTimeoutFactor = 3;

const latest = async (node: Node): Promise<Header> =>
  header(await node.call('eth_getBlockByNumber', ['latest', false]));

const headerIn = async (answer: Promise<unknown>, isAsked: (found: Header) => boolean): Promise<Header | null> => {
  const raw = await nullIfMissing(answer);
  if (raw === null) return null;
  const found = header(raw);
  return isAsked(found) ? found : failInvalidAnswer('returned another block than requested');
};
const headerAt = async (node: Node, number: number) => {
  const found = await headerIn(
    node.call('eth_getBlockByNumber', [inHex(number), false]),
    // Networks whose first block is number 1 return that block for number 0. This answer is not a fault.
    (one) => one.number === number || (number === 0 && one.number === 1),
  );
  return found?.number === number ? found : null;
};
const headerOf = (node: Node, hash: string) =>
  headerIn(node.call('eth_getBlockByHash', [hash, false]), (found) => found.hash === hash);

/**
 * Reads the finalized block; null if the node does not support the tag `finalized`.
 */
const finalizedHeader = async (node: Node): Promise<Header | null> => {
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
  let hasWarned = false;
  const warnOnce = () => {
    if (!hasWarned)
      log.warn({}, 'No node of this EVM chain can trace transactions; coins that contracts send are not recorded');
    hasWarned = true;
    return null;
  };
  /**
   * Fetches the traces of a block; null if the block ran no code or every node has reported that it cannot trace.
   * Rejects if an unreachable node might be able to trace.
   */
  return async ({ runsCode, header, transactions, receipts }: CheckedBlock): Promise<Traces | null> => {
    if (!runsCode) return null;
    const traced = transactions.map(({ hash, from, to, value }, i) => {
      const receipt = receipts[i] as ChainReceipt;
      return {
        hash,
        from,
        to: to ?? null,
        value,
        created: receipt.contractAddress,
        isSystem: isSystem({ from }, receipt),
      };
    });
    const trace = (node: Node) => fetchTraces(node, header.hash, traced, createPace());
    try {
      return nodes.endpoints.some(mayTrace)
        ? await nodes.use(trace, { timeoutFactor: blockTimeoutFactor, among: mayTrace })
        : warnOnce();
    } catch (error) {
      if (nodes.endpoints.some(mayTrace)) throw error;
      return warnOnce();
    }
  };
};

type OddBlock = { readonly oddities: readonly Quirk[]; readonly block: Block };

/**
 * Creates a reader of blocks. A block with a quirk that needs confirmation is accepted only if no other node returns
 * the block without that quirk.
 */
const createBlockReader = (nodes: Nodes, log: Log): Chain['block'] => {
  const traces = createTracing(nodes, log);
  const known = new Set<Quirk>();
  const isKnownQuirk = (quirk: Quirk) => known.has(quirk) && quirks[quirk].askedElsewhere === 'at first';
  const believe = ({ oddities, block }: OddBlock) => {
    for (const quirk of oddities.filter((one) => !known.has(one))) {
      log.info({ block: block.number, quirk, accepted: quirks[quirk].believed }, 'Network quirk accepted');
      known.add(quirk);
    }
    return block;
  };
  return async (hash, interest) => {
    const odd: OddBlock[] = [];
    const read = async (node: Node) => {
      const checked = await fetchBlock(node, hash);
      if (!checked) return null;
      const pace = createPace();
      const found = await blockOf(checked, await traces(checked), interest, pace);
      const oddities = [...checked.oddities, ...(await checkAnnounced(checked, found.movements, pace))];
      const touches = [...found.touches, ...systemTouches(checked.transactions, checked.receipts, interest)];
      const block = { ...found, touches };
      if (oddities.every(isKnownQuirk)) return block;
      odd.push({ oddities, block });
      return null;
    };
    const found = await nodes.find(read, { timeoutFactor: blockTimeoutFactor });
    return found ?? (odd[0] ? believe(odd[0]) : null);
  };
};

/**
 * Returns whether blocks are traced: true if at least one node can trace them, null while this is unknown.
 */
const tracedBy = (nodes: readonly (boolean | undefined)[]) => {
  if (nodes.includes(true)) return true;
  return nodes.includes(undefined) ? null : false;
};

/** Connects to an EVM chain through whichever nodes answer. No node needs to be reachable at the start. */
export const evmChain = async (urls: readonly string[], log: Log, options: EvmOptions = {}): Promise<Chain> => {
  const { finalDepth, ...limits } = { ...defaults, ...options };
  const nodes = createNodes(urls, log, limits);
  const heads = createHeadRecord<Node['can'], Header>();
  let firstNumber = 0;
  return {
    genesis: async () => {
      const first = await nodes.find(firstBlock);
      if (!first) return fail('NODE_ERROR', 'No chain node has the first block.');
      firstNumber = first.number;
      return first;
    },
    head: async () => {
      const polled = await nodes.poll(async (node) => heads.note(node.can, await latest(node)));
      return heads.highest(polled);
    },
    finalized: () =>
      nodes.use(async (node) => {
        const final = await finalizedHeader(node);
        if (final) checkFinalHeight(final.number, heads.of(node.can));
        return Math.max(final ? final.number : (await latest(node)).number - finalDepth, firstNumber);
      }),
    hints: (signal) => {
      const watchers = nodes.endpoints.flatMap(({ transport }) => transport.watchHeads ?? []);
      return watchHeads(watchers, signal, nodes.closed);
    },
    headerAt: (number) => nodes.find((node) => headerAt(node, number)),
    headerOf: (hash) => nodes.find((node) => headerOf(node, hash)),
    block: createBlockReader(nodes, log),
    traced: () => tracedBy(nodes.endpoints.map(({ can }) => can.traces)),
    balances: (holdings, at) => readBalances(nodes, holdings, at),
    tokensReceived: createTokenSearch(nodes),
    contract: readContract(nodes),
    tokenUri: readTokenUri(nodes),
    sending: evmSending(nodes),
    tokens: async () => fail('FAILED_PRECONDITION', 'Token import is not supported on EVM chains.'),
    close: () => nodes.close(),
  };
};
