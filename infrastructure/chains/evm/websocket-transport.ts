import { type RawData, WebSocket } from 'ws';
import { withDeadline } from '../../deadline.js';
import { asFailing, NodeFault } from '../nodes/node-fault.js';
import { isRaw } from '../nodes/raw.js';
import {
  envelope,
  type Outcome,
  outcome,
  parse,
  type RpcCall,
  type Transport,
  type TransportLimits,
} from './transport.js';

const lost = () => new NodeFault('failing', 'the connection was lost');

type Waiting = { resolve(outcome: Outcome): void; reject(fault: NodeFault): void };

/** One connection while it lasts; what is asked over it when it ends fails. */
const createConnection = (url: URL, limits: TransportLimits) => {
  const socket = new WebSocket(url, {
    maxPayload: limits.mostBytes,
    perMessageDeflate: false,
    handshakeTimeout: limits.connectMs,
  });
  const waiting = new Map<unknown, Waiting>();
  const notices = new Map<unknown, () => void>();
  let nextId = 1;
  let heardAt = performance.now();

  const take = (answer: unknown) => {
    if (!isRaw(answer)) throw new NodeFault('failing', 'said something that is not JSON-RPC');
    if (isRaw(answer.params)) return notices.get(answer.params.subscription)?.();
    const read = outcome(answer);
    waiting.get(answer.id)?.resolve(read);
    waiting.delete(answer.id);
  };
  socket.on('message', (data: RawData) => {
    heardAt = performance.now();
    try {
      take(parse(data.toString()));
    } catch {
      // Nobody can tell what was meant, so nothing that is still to come can be trusted.
      socket.terminate();
    }
  });

  const opened = new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    // An error is always followed by the end of the connection.
    socket.on('error', (error) => reject(error));
  });
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      for (const { reject } of waiting.values()) reject(lost());
      waiting.clear();
      resolve();
    });
  });
  opened.catch(() => undefined);

  const ask = (call: RpcCall, id: number) =>
    new Promise<Outcome>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify(envelope(call, id)), (error) => error && reject(lost()));
    });
  const exchange = async (calls: readonly RpcCall[], ms: number) => {
    const askedAt = performance.now();
    const firstId = nextId;
    nextId += calls.length;
    const work = async () => {
      await opened;
      return await Promise.all(calls.map((call, i) => ask(call, firstId + i)));
    };
    const giveUp = () => {
      for (const i of calls.keys()) waiting.delete(firstId + i);
      // Other answers may be on their way; a connection that is silent altogether is of no use.
      if (heardAt < askedAt) socket.terminate();
    };
    return await withDeadline(work(), ms, giveUp).catch(asFailing);
  };
  return { exchange, notices, ended, terminate: () => socket.terminate() };
};

type Connection = ReturnType<typeof createConnection>;

const subscribe = async ({ exchange }: Connection, limits: TransportLimits) => {
  const call = { method: 'eth_subscribe', params: ['newHeads'] };
  const [answer = { fault: lost() }] = await exchange([call], limits.connectMs);
  if ('fault' in answer) throw answer.fault;
  return answer.result;
};

const endOrAbort = async ({ ended }: Connection, signal: AbortSignal) => {
  const settled = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { signal: settled.signal });
    if (signal.aborted) resolve();
  });
  await Promise.race([ended, aborted]);
  settled.abort();
};

export const webSocketTransport = (url: URL, limits: TransportLimits): Transport => {
  let current: Connection | null = null;
  let isClosed = false;
  const connection = () => {
    if (isClosed) throw lost();
    if (current) return current;
    const made = createConnection(url, limits);
    current = made;
    void made.ended.then(() => {
      if (current === made) current = null;
    });
    return made;
  };

  return {
    exchange: async (calls, ms) => await connection().exchange(calls, ms),
    watchHeads: async (notice, signal) => {
      const used = connection();
      const id = await subscribe(used, limits);
      used.notices.set(id, notice);
      // Heads may have come while nobody was listening.
      notice();
      await endOrAbort(used, signal);
      used.notices.delete(id);
      await used.exchange([{ method: 'eth_unsubscribe', params: [id] }], limits.connectMs).catch(() => undefined);
    },
    close: async () => {
      isClosed = true;
      const last = current;
      last?.terminate();
      await last?.ended;
    },
  };
};
