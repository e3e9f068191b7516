import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { answer, type Request } from './json-rpc.js';
import type { Listener } from './subscriptions.js';

/** Functions of the chain that the server calls. Requests without a listener cannot subscribe. */
type Served = {
  request(method: string, params: readonly unknown[], listener?: Listener): Promise<unknown>;
  forget(listener: Listener): void;
};

const host = '127.0.0.1';
const maxBodyBytes = 5 * 2 ** 20;
const maxMessageBytes = 32 * 2 ** 20;
/** Buffered bytes above which a client that does not read is disconnected. */
const maxUnreadBytes = 64 * 2 ** 20;

const readBody = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBodyBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const serveHttp = (request: Request) => async (from: IncomingMessage, to: ServerResponse) => {
  if (from.method !== 'POST') return to.writeHead(405, { allow: 'POST' }).end();
  const body = await readBody(from);
  if (body === null) return to.writeHead(413, { connection: 'close' }).end();
  const reply = await answer(body, request);
  return to.writeHead(200, { 'content-type': 'application/json' }).end(reply ?? '');
};

const serveSocket = (chain: Served, socket: WebSocket) => {
  /** Notifications held back until the client has received the id of their subscription, keyed by that id. */
  const early = new Map<string, string[]>();
  const send = (message: string) => {
    if (socket.bufferedAmount > maxUnreadBytes) return socket.terminate();
    return socket.send(message);
  };
  const listener: Listener = {
    notify: (subscription, result) => {
      const message = JSON.stringify({
        jsonrpc: '2.0',
        method: 'eth_subscription',
        params: { subscription, result },
      });
      const held = early.get(subscription);
      if (held) held.push(message);
      else send(message);
    },
  };
  const answerMessage = async (message: string) => {
    const opened: string[] = [];
    const reply = await answer(message, async (method, params) => {
      const result = await chain.request(method, params, listener);
      if (method === 'eth_subscribe') {
        opened.push(String(result));
        early.set(String(result), []);
      }
      return result;
    });
    if (reply !== null) send(reply);
    for (const id of opened) {
      for (const notification of early.get(id) ?? []) send(notification);
      early.delete(id);
    }
    // The socket may have closed while the call was waiting. In this case, its new subscriptions are removed.
    if (socket.readyState !== socket.OPEN) chain.forget(listener);
  };
  socket.on('message', (message) => void answerMessage(message.toString()));
  // Errors need no handling, because the library closes the socket after each error.
  socket.on('error', () => undefined);
  socket.on('close', () => chain.forget(listener));
};

/** Serves JSON-RPC 2.0 over HTTP and WebSocket on a free port of the loopback interface. */
export const startServer = async (chain: Served) => {
  const handle = serveHttp((method, params) => chain.request(method, params));
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });
  server.on('upgrade', (request, connection, head) =>
    sockets.handleUpgrade(request, connection, head, (socket) => serveSocket(chain, socket)),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    wsUrl: `ws://${host}:${port}`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
