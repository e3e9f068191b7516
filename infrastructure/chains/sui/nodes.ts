import { credentials } from '@grpc/grpc-js';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { GrpcTransport } from '@protobuf-ts/grpc-transport';
import type { Log } from '../../../application/ports/system.js';
import { type FaultKind, NodeFault, wrong } from '../nodes/node-fault.js';
import { parseNodeUrl, redactor } from '../nodes/node-url.js';
import { createPool, type Patience, type Pool } from '../nodes/pool.js';

export type NodeOptions = Patience & { readonly mostBytes: number };
/** What was found out about a node; absent while unknown. */
type Abilities = { balanceChanges?: boolean };
type Way = { readonly client: SuiGrpcClient; readonly can: Abilities; close(): void };
type Call<O> = { readonly response: Promise<O>; readonly headers: Promise<Readonly<Record<string, unknown>>> };
type Answer<O> = { readonly response: O; readonly headers: Readonly<Record<string, unknown>> };

/** One node for the time of one piece of work. */
export type Node = {
  ask<O>(call: (client: SuiGrpcClient, options: { readonly timeout: number }) => Call<O>): Promise<Answer<O>>;
  readonly can: Abilities;
};
export type Nodes = Pool<Way, Node>;

const rule = 'a node of a Sui chain needs an address like sui+grpcs://host:443 or sui+grpc://host:9000';
const protocols: Readonly<Record<string, string>> = { 'grpc:': '80', 'grpcs:': '443' };

/** By gRPC's names of them; all others are the node's own trouble, and may pass. */
const kinds: Readonly<Record<string, FaultKind>> = {
  NOT_FOUND: 'missing',
  OUT_OF_RANGE: 'missing',
  RESOURCE_EXHAUSTED: 'busy',
  UNIMPLEMENTED: 'unsupported',
  INVALID_ARGUMENT: 'refused',
};
const mostCharacters = 160;

const faultOf = (error: unknown): NodeFault => {
  const { code, message, meta } = error as { code?: unknown; message?: unknown; meta?: Record<string, unknown> };
  const restMs = Number(meta?.['retry-after'] ?? 0) * 1000;
  const text = String(message ?? 'no reason given').slice(0, mostCharacters);
  return new NodeFault(kinds[String(code)] ?? 'failing', `${text} (${code})`, Number.isFinite(restMs) ? restMs : 0);
};

const nodeFor = ({ client, can }: Way, until: number, answerMs: number): Node => ({
  can,
  ask: async (call) => {
    const timeout = Math.min(answerMs, until - performance.now());
    if (timeout <= 0) throw new NodeFault('late', 'took too long altogether');
    const { response, headers } = call(client, { timeout });
    // It fails when the response does, and is only looked at when that did not.
    headers.catch(() => undefined);
    try {
      return { response: await response, headers: await headers };
    } catch (error) {
      throw faultOf(error);
    }
  },
});

/** What stands in the query of the URL, such as `x-token`, is sent with every call. */
const wayTo = (url: URL, { mostBytes }: NodeOptions): Way => {
  const transport = new GrpcTransport({
    host: `${url.hostname}:${url.port || protocols[url.protocol]}`,
    channelCredentials: url.protocol === 'grpcs:' ? credentials.createSsl() : credentials.createInsecure(),
    meta: Object.fromEntries(url.searchParams),
    clientOptions: {
      'grpc.max_receive_message_length': mostBytes,
      'grpc.enable_retries': 0,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.max_reconnect_backoff_ms': 5000,
    },
  });
  return { client: new SuiGrpcClient({ network: 'mainnet', transport }), can: {}, close: () => transport.close() };
};

/** The digest of its first checkpoint. */
export const chainIdOf = async (node: Node): Promise<string> => {
  const { response } = await node.ask((client, options) => client.ledgerService.getServiceInfo({}, options));
  return response.chainId || wrong('does not say what chain it serves');
};

export const createNodes = (urls: readonly string[], log: Log, options: NodeOptions): Nodes => {
  const nodes = urls.map((given) => {
    const url = parseNodeUrl(given, /^sui\+/, Object.keys(protocols), rule);
    return { name: url.host, redact: redactor(url), way: wayTo(url, options) };
  });
  return createPool(nodes, log, {
    ...options,
    identify: chainIdOf,
    open: (way, until, patience) => nodeFor(way, until, options.answerMs * patience),
    close: async (way) => way.close(),
  });
};
