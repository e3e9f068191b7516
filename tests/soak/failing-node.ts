import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Ways in which a node fails to answer. */
export type NodeFault = 'error' | 'busy' | 'garbage' | 'hang' | 'reset';
export const nodeFaults: readonly NodeFault[] = ['error', 'busy', 'garbage', 'hang', 'reset'];

const bodyOf = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};
const json = { 'content-type': 'application/json' };

const act: { readonly [F in NodeFault]: (response: ServerResponse) => unknown } = {
  error: (response) => response.writeHead(500, json).end('{"error":"internal"}'),
  busy: (response) => response.writeHead(429, { ...json, 'retry-after': '1' }).end('{}'),
  garbage: (response) => response.writeHead(200, json).end('<html>{"jsonrpc":'),
  hang: () => undefined,
  reset: (response) => response.socket?.resetAndDestroy(),
};

/** Starts a proxy to a node, for HTTP and WebSocket. A test can make requests and connections fail. */
export const startFailingNode = async (upstream: string) => {
  let fault: NodeFault | null = null;
  let changes = 0;
  const open = new Set<Socket | Duplex>();
  const cut = () => {
    for (const socket of open) socket.destroy();
  };

  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request);
    if (fault) return act[fault](response);
    const answer = await fetch(upstream, { method: 'POST', headers: json, body });
    response.writeHead(answer.status, json).end(Buffer.from(await answer.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    if (fault) return socket.destroy();
    const { hostname, port } = new URL(upstream);
    const onward = connect(Number(port), hostname, () => {
      const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
      onward.write(`GET ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => undefined);
    onward.once('close', () => socket.destroy());
    socket.once('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    isHealthy: () => fault === null,
    /** Returns the number of times that a fault began or ended. Each such change closed all connections. */
    changes: () => changes,
    /** Begins a fault, or ends it with null; either closes every open connection. */
    fail: (next: NodeFault | null) => {
      fault = next;
      changes++;
      cut();
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
};
