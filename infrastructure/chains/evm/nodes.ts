import type { Log } from '../../../application/ports/system.js';
import { NodeFault, nullIfMissing } from '../nodes/node-fault.js';
import { parseNodeUrl, redactor } from '../nodes/node-url.js';
import { createPool, type Patience, type Pool } from '../nodes/pool.js';
import { record } from '../nodes/raw.js';
import { isUnreachable } from '../nodes/search.js';
import { httpTransport } from './http-transport.js';
import { type Outcome, type RpcCall, resultOf, type Transport, type TransportLimits } from './transport.js';
import { webSocketTransport } from './websocket-transport.js';
import { hash, inHex } from './wire.js';

/** What was found out about a node; absent while unknown. */
type Abilities = { blockReceipts?: boolean; traces?: boolean; stateByHash?: boolean };

/** One node for the time of one piece of work. */
export type Node = {
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Faults of single calls are among the outcomes; what says that the node is overloaded rejects. */
  batch(calls: readonly RpcCall[]): Promise<readonly Outcome[]>;
  readonly can: Abilities;
};

type Way = { readonly transport: Transport; readonly can: Abilities };
export type Nodes = Pool<Way, Node>;
export type NodeOptions = Patience & { readonly mostBytes: number; readonly batchSize: number };

const transports: Readonly<Record<string, (url: URL, limits: TransportLimits) => Transport>> = {
  'http:': httpTransport,
  'https:': httpTransport,
  'ws:': webSocketTransport,
  'wss:': webSocketTransport,
};
const rule = 'a node of an EVM chain needs an address like http://host:8545 or ws://host:8546';

const nodeFor = ({ transport, can }: Way, until: number, options: NodeOptions, patience: number): Node => {
  const exchange = async (calls: readonly RpcCall[]) => {
    const left = until - performance.now();
    if (left <= 0) throw new NodeFault('late', 'took too long altogether');
    const outcomes = await transport.exchange(calls, Math.min(options.answerMs * patience, left));
    for (const outcome of outcomes) if ('fault' in outcome && isUnreachable(outcome.fault)) throw outcome.fault;
    return outcomes;
  };
  return {
    can,
    call: async (method, params) => {
      const [outcome] = await exchange([{ method, params }]);
      return resultOf(outcome);
    },
    batch: async (calls) => {
      const outcomes: Outcome[] = [];
      for (let i = 0; i < calls.length; i += options.batchSize)
        outcomes.push(...(await exchange(calls.slice(i, i + options.batchSize))));
      return outcomes;
    },
  };
};

const identify = async (node: Node) => {
  const first = await nullIfMissing(node.call('eth_getBlockByNumber', [inHex(0), false]));
  return first === null ? null : hash(record(first, 'the first block').hash, 'the hash of the first block');
};

export const createNodes = (urls: readonly string[], log: Log, options: NodeOptions): Nodes => {
  const nodes = urls.map((given) => {
    const url = parseNodeUrl(given, /^evm\+/, Object.keys(transports), rule);
    const open = transports[url.protocol] ?? httpTransport;
    const way: Way = { transport: open(url, { ...options, connectMs: options.answerMs }), can: {} };
    return { name: url.host, redact: redactor(url), way };
  });
  return createPool(nodes, log, {
    ...options,
    identify,
    open: (way, until, patience) => nodeFor(way, until, options, patience),
    close: ({ transport }) => transport.close(),
  });
};
