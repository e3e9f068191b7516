import { createHash } from 'node:crypto';
import { slicesOf } from '../../../application/async/slices.js';
import type { Header } from '../../../application/ports/chain.js';
import type { Log } from '../../../application/ports/system.js';
import { createPool, type NodeTimeouts, type Pool } from '../../nodes/checked-pool.js';
import { NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { parseNodeUrl, redactor } from '../../nodes/node-url.js';
import { isUnreachable } from '../../nodes/search.js';
import { type Outcome, type RpcCall, resultOf } from './outcome.js';
import { httpTransport, type Transport, type TransportLimits, webSocketTransport } from './transport.js';
import { header, inHex, integer } from './wire.js';

/** Capabilities of a node, detected while the node is used. Each is undefined until detected. */
type Abilities = {
  blockReceipts?: boolean;
  /** Number of upcoming blocks for which the list of receipts is not requested, because such a request timed out. */
  listsToSkip?: number;
  traces?: boolean;
  stateByHash?: boolean;
};

/** Access to a node for one piece of work, limited by the deadline of that work. */
export type Node = {
  /** Calls a method. `share` is the part of the remaining time that the answer may take, above 0 and at most 1. */
  call(method: string, params: readonly unknown[], share?: number): Promise<unknown>;
  /**
   * Sends calls in batches. Returns the fault of a single call as its outcome; rejects if a fault means that the node
   * is unreachable.
   */
  batch(calls: readonly RpcCall[]): Promise<readonly Outcome[]>;
  readonly can: Abilities;
};

type Endpoint = { readonly transport: Transport; readonly can: Abilities };
export type Nodes = Pool<Endpoint, Node>;
export type NodeOptions = NodeTimeouts & { readonly maxBytes: number; readonly batchSize: number };

const transports: Readonly<Record<string, (url: URL, limits: TransportLimits) => Transport>> = {
  'http:': httpTransport,
  'https:': httpTransport,
  'ws:': webSocketTransport,
  'wss:': webSocketTransport,
};
const rule = 'an EVM node URL must look like http://host:8545 or ws://host:8546';

const nodeFor = ({ transport, can }: Endpoint, until: number, options: NodeOptions, timeoutFactor: number): Node => {
  const exchange = async (calls: readonly RpcCall[], share = 1) => {
    const left = until - performance.now();
    if (left <= 0) throw new NodeFault('late', 'took too long: the deadline for all requests has passed');
    const outcomes = await transport.exchange(calls, Math.min(options.timeoutMs * timeoutFactor, left * share));
    for (const outcome of outcomes) if ('fault' in outcome && isUnreachable(outcome.fault)) throw outcome.fault;
    return outcomes;
  };
  return {
    can,
    call: async (method, params, share) => {
      const [outcome] = await exchange([{ method, params }], share);
      return resultOf(outcome);
    },
    batch: async (calls) => {
      const outcomes: Outcome[] = [];
      for (const slice of slicesOf(calls, options.batchSize)) outcomes.push(...(await exchange(slice)));
      return outcomes;
    },
  };
};

/**
 * Returns the first block with a hash that identifies its chain; null if the node no longer has the block. On networks
 * that start at block 1, first blocks of different chains may be equal, so the hash includes the chain id.
 */
export const firstBlock = async (node: Node): Promise<Header | null> => {
  const answer = await nullIfMissing(node.call('eth_getBlockByNumber', [inHex(0), false]));
  if (answer === null) return null;
  const first = header(answer);
  if (first.number === 0) return first;
  if (first.number > 1) return null;
  const chainId = integer(await node.call('eth_chainId', []), 'the chain id');
  const identity = createHash('sha256').update(`${chainId} ${first.hash}`).digest('hex');
  return { ...first, hash: `0x${identity}` };
};

export const createNodes = (urls: readonly string[], log: Log, options: NodeOptions): Nodes => {
  const nodes = urls.map((given) => {
    const url = parseNodeUrl(given, /^evm\+/, Object.keys(transports), rule);
    const open = transports[url.protocol] ?? httpTransport;
    const endpoint: Endpoint = { transport: open(url, { ...options, connectMs: options.timeoutMs }), can: {} };
    return { name: url.host, redact: redactor(url), endpoint };
  });
  return createPool(nodes, log, {
    ...options,
    identify: async (node) => (await firstBlock(node))?.hash ?? null,
    open: (endpoint, until, timeoutFactor) => nodeFor(endpoint, until, options, timeoutFactor),
    close: ({ transport }) => transport.close(),
  });
};
