import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Quirk } from '../../../infrastructure/chains/evm/quirks/quirks.js';
import { throwRpcError } from './answering-node.js';
import { blockAnswer, callAnswer, logAnswers, receiptAnswers, receiptOf, traceAnswers } from './evm-answers.js';
import { createEvmChain, digestOf, type EvmChain, hex, type MinedBlock } from './evm-chain.js';
import { type EvmFaults, noFaults, spoilBlock, spoilReceipts } from './evm-faults.js';
import { withQuirks } from './evm-quirks.js';

type Context = {
  readonly chain: EvmChain;
  readonly faults: EvmFaults;
  readonly asked: string[];
  readonly messages: number[];
  readonly sent: string[];
  readonly pending: Set<string>;
  readonly quirks: Set<Quirk>;
  onAsked: (method: string) => void;
  lie: (method: string, answer: unknown) => unknown;
};
type Params = readonly unknown[];

const unknownMethod = (method: string) => throwRpcError(-32601, `the method ${method} does not exist/is not available`);

const headNumber = ({ chain, faults }: Context) => Math.max(chain.head().number - faults.lag, 0);
const isKnown = (context: Context, block: MinedBlock) =>
  block.number <= headNumber(context) && !(context.faults.forgetsReplaced && !context.chain.isCanonical(block));

const tags: Readonly<Record<string, (context: Context) => number>> = {
  latest: headNumber,
  earliest: () => 0,
  finalized: (context) =>
    context.faults.noFinalized
      ? throwRpcError(-32602, 'invalid argument 0: hex string without 0x prefix')
      : Math.max(headNumber(context) - context.chain.finalDepth, 0),
};

/** Finds a block that the node has or had. */
const mined = (context: Context, tag: unknown): MinedBlock | null => {
  const number = tags[String(tag)]?.(context) ?? Number(tag);
  const isLost = context.faults.losesBlocks && number > 0 && tag !== 'latest';
  return number <= headNumber(context) && !isLost ? (context.chain.at(number) ?? null) : null;
};
const byNumber = (context: Context, tag: unknown): MinedBlock | null => {
  const block = mined(context, tag);
  return block && block.number > 0 && block.number < context.faults.firstKept ? null : block;
};
const byHash = (context: Context, hash: unknown): MinedBlock | null => {
  const block = context.chain.blockByHash(String(hash));
  return block && !context.faults.losesBlocks && isKnown(context, block) ? block : null;
};

/** Finds the block whose state is requested (EIP-1898). */
const stateAt = (context: Context, block: unknown): MinedBlock => {
  const { faults, chain } = context;
  if (typeof block === 'string') return byNumber(context, block) ?? throwRpcError(-32000, 'header not found');
  if (faults.noStateByHash)
    throwRpcError(-32602, 'invalid argument 1: json: cannot unmarshal object into Go value of type string');
  if (faults.ignoresStateHash) return chain.head();
  return byHash(context, (block as { blockHash: string }).blockHash) ?? throwRpcError(-32000, 'header not found');
};

const missing = ({ faults }: Context) => (faults.missingIsError ? throwRpcError(-32000, 'header not found') : null);

const traces = (context: Context, hash: unknown) => {
  const { faults } = context;
  if (faults.noTraces) return unknownMethod('debug_traceBlockByHash');
  if (faults.failingTraces) return throwRpcError(-32000, 'execution timeout');
  const answers = traceAnswers(byHash(context, hash) ?? throwRpcError(-32000, 'block not found'));
  return faults.shortTraces ? answers.slice(1) : answers;
};

const receipts = (context: Context, hash: unknown) => {
  if (context.faults.noBlockReceipts) unknownMethod('eth_getBlockReceipts');
  const block = byHash(context, hash);
  return block && spoilReceipts(context, receiptAnswers(block));
};

const logs = (context: Context, filter: Readonly<Record<string, unknown>>) => {
  const { blockHash, fromBlock, toBlock } = filter;
  const whole = blockHash === undefined;
  const from = whole ? mined(context, fromBlock ?? 'latest') : byHash(context, blockHash);
  const to = whole ? mined(context, toBlock ?? 'latest') : from;
  const range = context.faults.logRange;
  if (range && from && to && to.number - from.number >= range.max) throwRpcError(range.error.code, range.error.message);
  if (!from || !to) return throwRpcError(-32000, 'unknown block');
  return logAnswers(context.chain, from, to, filter).filter(
    (log) => Number(log.blockNumber) >= context.faults.firstKept,
  );
};

const methods: Readonly<Record<string, (context: Context, params: Params) => unknown>> = {
  eth_chainId: () => hex(1337),
  eth_blockNumber: (context) => hex(headNumber(context)),
  eth_getBlockByNumber: (context, [number, isFull]) => {
    const block = byNumber(context, number);
    return block ? spoilBlock(context, block, isFull === true) : missing(context);
  },
  eth_getBlockByHash: (context, [hash, isFull]) => {
    const block = byHash(context, hash);
    return block ? spoilBlock(context, block, isFull === true) : missing(context);
  },
  eth_getBlockReceipts: (context, [hash]) => receipts(context, hash),
  eth_getTransactionReceipt: (context, [hash]) => {
    const receipt = receiptOf(context.chain, String(hash));
    return (receipt && spoilReceipts(context, [receipt])?.[0]) ?? null;
  },
  debug_traceBlockByHash: (context, [hash]) => traces(context, hash),
  eth_getBalance: (context, [address, block]) =>
    hex(context.chain.balance(String(address), { standard: 'native' }, stateAt(context, block))),
  eth_getCode: (context, [address, block]) =>
    context.chain.contracts.code(String(address), stateAt(context, block).number),
  eth_call: (context, [call, block]) =>
    callAnswer(context.chain, stateAt(context, block), call as { to: string; data: string }),
  eth_getLogs: (context, [filter]) => logs(context, filter as Record<string, unknown>),
  eth_sendRawTransaction: ({ sent }, [raw]) => {
    sent.push(String(raw));
    return digestOf(String(raw));
  },
  txpool_status: ({ pending }) => ({ pending: hex(pending.size), queued: '0x0' }),
  txpool_content: ({ pending }) => ({
    pending: Object.fromEntries([...pending].map((hash) => [digestOf(hash, 'sender'), { 0: { hash } }])),
    queued: {},
  }),
  net_version: () => '1337',
  eth_unsubscribe: () => true,
};

type Request = { readonly id: number; readonly method: string; readonly params: Params };

const answer = (context: Context, { id, method, params }: Request) => {
  const envelope = { jsonrpc: '2.0', id: context.faults.wrongId ? id + 1000 : id };
  try {
    context.onAsked(method);
    if (context.faults.error) throwRpcError(context.faults.error.code, context.faults.error.message);
    const result = (methods[method] ?? (() => unknownMethod(method)))(context, params);
    const quirky = withQuirks(context.quirks, method, { params, chain: context.chain }, result);
    return { ...envelope, result: context.lie(method, quirky) };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (typeof code !== 'number') throw error;
    return { ...envelope, error: { code, message } };
  }
};

const reading = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Request | Request[];
};

export type EvmNode = {
  readonly url: string;
  readonly wsUrl: string;
  readonly chain: EvmChain;
  readonly faults: EvmFaults;
  /** Quirks of the network, which affect all answers. */
  readonly quirks: Set<Quirk>;
  /** Methods of all calls, in order. */
  readonly asked: string[];
  /** Number of calls in each message. */
  readonly messages: number[];
  /** Raw transactions that the node accepted. */
  readonly sent: string[];
  /** Adds a pending transaction, and notifies subscribers. */
  hold(hash: string): void;
  /** Runs before each answer, so that a test can change the chain between a call and its answer. */
  onAsked: (method: string) => void;
  /** Maps each answer to the value that the node sends. */
  lie: (method: string, answer: unknown) => unknown;
  /** Switches all faults off. */
  heal(): void;
  /** Closes every open connection; new ones are accepted. */
  disconnect(): void;
  close(): Promise<void>;
};

/**
 * Returns the answer to a message: a text, null for no answer, or a number for an empty answer with that HTTP status.
 */
const reply = (context: Context, message: Request | Request[]): string | number | null => {
  const { faults, asked, messages } = context;
  const requests = Array.isArray(message) ? message : [message];
  asked.push(...requests.map(({ method }) => method));
  messages.push(requests.length);
  if (faults.hang || requests.some(({ method }) => method === faults.hangingMethod)) return null;
  if (faults.status !== 200) return faults.status;
  if (faults.garbage) return '<html>oops';
  if (faults.hugeBytes > 0) return JSON.stringify('x'.repeat(faults.hugeBytes));
  if (Array.isArray(message) && faults.noBatches)
    return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batches are not supported' } });
  const answers = requests.map((request) => answer(context, request));
  return JSON.stringify(Array.isArray(message) ? answers : answers[0]);
};

const respond = (response: ServerResponse, replied: string | number | null) => {
  if (replied === null) return;
  const status = typeof replied === 'number' ? replied : 200;
  response.writeHead(status, { 'content-type': 'application/json' }).end(typeof replied === 'string' ? replied : '');
};

const idOf = (subscription: string) => (subscription === 'newHeads' ? '0x1' : '0x2');

/** Starts a node that serves a scripted chain over HTTP and WebSocket. Several nodes may serve the same chain. */
export const startEvmNode = async ({ chain = createEvmChain() }: { chain?: EvmChain } = {}): Promise<EvmNode> => {
  const context: Context = {
    chain,
    faults: { ...noFaults },
    asked: [],
    messages: [],
    sent: [],
    pending: new Set(),
    quirks: new Set(),
    onAsked: () => undefined,
    lie: (_, answer) => answer,
  };
  const { faults, asked, messages, sent, pending } = context;
  const server = createServer((request, response) => {
    void reading(request).then((message) => respond(response, reply(context, message)));
  });
  const sockets = new WebSocketServer({ server });
  const listening: Readonly<Record<string, Set<WebSocket>>> = {
    newHeads: new Set(),
    newPendingTransactions: new Set(),
  };

  const speak = (socket: WebSocket, message: Request) => {
    if (message.method !== 'eth_subscribe' || faults.hang) {
      const replied = reply(context, message);
      if (typeof replied === 'string') socket.send(replied);
      if (typeof replied === 'number') socket.terminate();
      return;
    }
    asked.push(message.method);
    const name = String(message.params[0]);
    listening[name]?.add(socket);
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: idOf(name) }));
  };
  const notify = (name: string, result: unknown) => {
    const notice = { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: idOf(name), result } };
    for (const socket of listening[name] ?? []) socket.send(JSON.stringify(notice));
  };
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => speak(socket, JSON.parse(data.toString()) as Request));
    socket.on('close', () => {
      for (const sockets of Object.values(listening)) sockets.delete(socket);
    });
  });
  const silence = chain.onHead((block) => notify('newHeads', blockAnswer(block, false)));

  const disconnect = () => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    chain,
    faults,
    quirks: context.quirks,
    asked,
    messages,
    sent,
    hold: (hash) => {
      pending.add(hash);
      notify('newPendingTransactions', hash);
    },
    get onAsked() {
      return context.onAsked;
    },
    set onAsked(listener) {
      context.onAsked = listener;
    },
    get lie() {
      return context.lie;
    },
    set lie(change) {
      context.lie = change;
    },
    heal: () => void Object.assign(faults, noFaults),
    disconnect,
    close: async () => {
      silence();
      disconnect();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
