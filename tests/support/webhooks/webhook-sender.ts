import { once } from 'node:events';
import net from 'node:net';
import type { WebhookMessage } from '../../../application/ports/sender.js';
import { webhookSender } from '../../../infrastructure/webhooks/sender.js';
import { closeAfterTest, egressWith, portOf } from './egress.js';

export type SenderSettings = Partial<Parameters<typeof webhookSender>[0]>;
export const senderWith = (settings: SenderSettings = {}) =>
  webhookSender({ egress: egressWith({ allowPrivate: true }), ...settings });

export const messageTo = (url: string, changes: Partial<WebhookMessage> = {}): WebhookMessage => ({
  url,
  headers: [],
  body: '{"a":1}',
  id: 'd1',
  timestamp: 1,
  signature: 'v1,x',
  ...changes,
});

export const at = (port: number, path = '') => `http://127.0.0.1:${port}/${path}`;

/** Starts a receiver on whose connections `speak` writes any bytes as soon as the first bytes of a request arrive. */
export const serveRaw = async (speak: (socket: net.Socket) => unknown) => {
  /** Connections that have received a request. */
  const sockets: net.Socket[] = [];
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket
      .on('error', () => undefined)
      .once('close', () => open.delete(socket))
      .once('data', () => {
        sockets.push(socket);
        speak(socket);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  /** Resolves once the sender has closed every connection. */
  const left = async () => {
    if (server.listening) await once(server.close(), 'close');
  };
  closeAfterTest(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { port, sockets, left };
};
