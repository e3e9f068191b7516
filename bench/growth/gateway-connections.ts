import { EventEmitter } from 'node:events';
import { createBackpressure } from '../../application/gateway/backpressure.js';
import { createChainFeed } from '../../application/gateway/chain-feed.js';
import { methods } from '../../application/gateway/methods.js';
import type { Node } from '../../application/ports/node.js';
import { createOutbox, type Line } from '../../interfaces/gateway/outbox.js';
import { createSubscriptions, maxSubscriptions } from '../../interfaces/gateway/subscriptions.js';
import { testSystem } from '../../tests/support/silent.js';

const maxBytes = 256 * 1024 * 1024;
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

/** Creates a fake node whose blocks and pending transactions the caller controls. */
const createFakeNode = () => {
  const emitter = new EventEmitter();
  const ending = new AbortController();
  let number = 1;
  const blockOf = (hash: string) => {
    const height = Number.parseInt(hash.slice(2), 16);
    const logs = { logsBloom: `0x${'0'.repeat(512)}`, transactions: [] };
    return { number: `0x${height.toString(16)}`, hash, parentHash: hashOf(height - 1), ...logs };
  };
  const node: Partial<Node> = {
    ask: async (_, [hash]) => blockOf(String(hash)),
    head: async () => ({ number, hash: hashOf(number) }),
    watchHeads: (notice) => void emitter.on('head', notice),
    watchPending: async (notice) => void emitter.on('pending', notice),
    closed: ending.signal,
  };
  return {
    node: node as Node,
    mine: () => {
      number++;
      emitter.emit('head');
    },
    send: (n: number) => emitter.emit('pending', hashOf(n)),
    close: () => ending.abort(),
  };
};

/** Opens gateway connections without a network: frames are built and dropped. */
export const openConnections = () => {
  const { node, mine, send, close } = createFakeNode();
  const feed = createChainFeed(node, testSystem);
  const pressure = createBackpressure(new Set(), maxBytes);
  const connections: ReturnType<typeof createSubscriptions>[] = [];
  const connect = () => {
    const line = { socket: { readyState: 1, OPEN: 1 }, wire: { writableLength: 0, write: () => true } };
    const outbox = createOutbox(line as unknown as Line, pressure, () => undefined);
    return createSubscriptions({ feed, outbox, system: testSystem, pressure });
  };
  /**
   * Calls a method as the n-th call. Opens a new connection when the current connection has the maximum number of
   * subscriptions.
   */
  const call = async (n: number, name: string, params: readonly unknown[]) => {
    const method = methods.find((one) => one.name === name);
    if (!method) throw new Error(`Unknown gateway method: ${name}`);
    const connection = connections[Math.floor(n / maxSubscriptions)] ?? connect();
    connections[Math.floor(n / maxSubscriptions)] = connection;
    const opened: string[] = [];
    const answer = await connection.answer(method, { id: String(n), method: name, params }, opened);
    if ('error' in answer) throw new Error(Buffer.from(answer.error).toString());
    connection.activate(opened);
  };
  return { call, mine, send, close };
};
