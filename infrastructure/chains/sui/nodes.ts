import { credentials } from '@grpc/grpc-js';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { GrpcTransport } from '@protobuf-ts/grpc-transport';
import type { Log } from '../../../application/ports/system.js';
import { createPool, type NodeTimeouts, type Pool } from '../../nodes/checked-pool.js';
import { type FaultKind, failInvalidAnswer, NodeFault, reasonOf } from '../../nodes/node-fault.js';
import { parseNodeUrl, redactor } from '../../nodes/node-url.js';
import { retryAfterMs } from '../../nodes/retry-after.js';
import { createThrottle } from '../../nodes/throttle.js';
import { inClientSpan } from '../../tracing/active-span.js';

export type NodeOptions = NodeTimeouts & { readonly maxBytes: number };
/** Capabilities of a node, detected while the node is used. Each is undefined until detected. */
export type Abilities = { balanceChanges?: boolean };
export type Endpoint = {
  readonly client: SuiGrpcClient;
  readonly can: Abilities;
  readonly throttle: ReturnType<typeof createThrottle>;
  close(): void;
};
/** Options of one call. `meta` is sent in addition to the metadata of the node's URL. */
type CallOptions = { readonly timeout: number; readonly meta?: Record<string, string> };
type Call<O> = { readonly response: Promise<O>; readonly headers: Promise<Readonly<Record<string, unknown>>> };
type Answer<O> = { readonly response: O; readonly headers: Readonly<Record<string, unknown>> };

/** Access to a node for one piece of work, limited by the deadline of that work. */
export type Node = {
  ask<O>(call: (client: SuiGrpcClient, options: CallOptions) => Call<O>): Promise<Answer<O>>;
  readonly can: Abilities;
};
export type Nodes = Pool<Endpoint, Node>;

const rule = 'a Sui node URL must look like sui+grpcs://host:443 or sui+grpc://host:9000';
const protocols: Readonly<Record<string, string>> = { 'grpc:': '80', 'grpcs:': '443' };

/** Fault kinds by gRPC status code. Every other status is a temporary failure of the node. */
const kinds: Readonly<Record<string, FaultKind>> = {
  NOT_FOUND: 'missing',
  OUT_OF_RANGE: 'missing',
  RESOURCE_EXHAUSTED: 'busy',
  UNIMPLEMENTED: 'unsupported',
  INVALID_ARGUMENT: 'refused',
};
/** Fault kinds by message, for faults whose status code alone would mislead. */
const wordedKinds: readonly (readonly [RegExp, FaultKind])[] = [
  [/HTTP status code 429/, 'busy'],
  // An answer above the size limit would be just as large after a retry.
  [/message .*larger than/i, 'refused'],
];
const maxRestMs = 30_000;
/** Pause in milliseconds after UNAVAILABLE, which some nodes return for too many requests. */
const unavailableRestMs = 100;
const noConnection = /connect|connection|ECONN|resolution/i;

const kindOf = (code: unknown, text: string): FaultKind =>
  wordedKinds.find(([words]) => words.test(text))?.[1] ?? kinds[String(code)] ?? 'failing';

export const faultOf = (error: unknown): NodeFault => {
  const { code, message, meta } = error as { code?: unknown; message?: unknown; meta?: Record<string, unknown> };
  const text = reasonOf(String(message ?? 'no reason given'));
  const isRefusal = code === 'UNAVAILABLE' && !noConnection.test(text);
  const restMs = Math.max(isRefusal ? unavailableRestMs : 0, retryAfterMs(meta?.['retry-after'], maxRestMs));
  return new NodeFault(kindOf(code, text), `${text} (${code})`, restMs);
};

const answerTo = async <O>({ response, headers }: Call<O>): Promise<Answer<O>> => {
  // Prevents an unhandled rejection: if the call fails, `headers` rejects too, but is awaited only after `response`.
  headers.catch(() => undefined);
  try {
    return { response: await response, headers: await headers };
  } catch (error) {
    throw faultOf(error);
  }
};

const nodeFor = ({ client, can, throttle }: Endpoint, until: number, timeoutMs: number): Node => ({
  can,
  ask: (call) =>
    throttle(until, async () => {
      const timeout = Math.min(timeoutMs, until - performance.now());
      if (timeout <= 0) throw new NodeFault('late', 'took too long: the deadline for all requests has passed');
      return inClientSpan(
        () => ({ name: 'sui', attributes: { 'rpc.system.name': 'grpc' } }),
        (span) => answerTo(call(client, span ? { timeout, meta: { ...span.headers } } : { timeout })),
      );
    }),
});

/** Connects to a node. The query of the URL, such as `x-token=…`, is sent as metadata with every call. */
const endpointTo = (url: URL, { maxBytes }: NodeOptions): Endpoint => {
  const transport = new GrpcTransport({
    host: `${url.hostname}:${url.port || protocols[url.protocol]}`,
    channelCredentials: url.protocol === 'grpcs:' ? credentials.createSsl() : credentials.createInsecure(),
    meta: Object.fromEntries(url.searchParams),
    clientOptions: {
      'grpc.max_receive_message_length': maxBytes,
      'grpc.enable_retries': 0,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.max_reconnect_backoff_ms': 5000,
    },
  });
  const client = new SuiGrpcClient({ network: 'mainnet', transport });
  return { client, can: {}, throttle: createThrottle(), close: () => transport.close() };
};

/** Returns the chain's identifier, which is the digest of its first checkpoint. */
export const chainIdOf = async (node: Node): Promise<string> => {
  const { response } = await node.ask((client, options) => client.ledgerService.getServiceInfo({}, options));
  return response.chainId || failInvalidAnswer('does not report its chain id');
};

export const createNodes = (urls: readonly string[], log: Log, options: NodeOptions): Nodes => {
  const nodes = urls.map((given) => {
    const url = parseNodeUrl(given, /^sui\+/, Object.keys(protocols), rule);
    return { name: url.host, redact: redactor(url), endpoint: endpointTo(url, options) };
  });
  return createPool(nodes, log, {
    ...options,
    identify: chainIdOf,
    open: (endpoint, until, timeoutFactor) => nodeFor(endpoint, until, options.timeoutMs * timeoutFactor),
    close: async (endpoint) => endpoint.close(),
  });
};
