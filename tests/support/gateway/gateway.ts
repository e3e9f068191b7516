import { on, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { demoOf, type Service } from '../service/service.js';

export const keyOf = ({ home }: Service): string => demoOf(home).key;
export const gatewayUrl = (service: Service, key = keyOf(service), at = 'c/mainnet'): string =>
  `${service.url}/${at}/v1/${key}`;
export const socketUrl = (service: Service, key = keyOf(service), at = 'c/mainnet'): string =>
  `${service.url.replace(/^http/, 'ws')}/${at}/v1/ws/${key}`;

export const post = async (url: string, body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

type Notice = { method: string; params: { subscription: string; result: unknown } };
type Message = { id?: unknown; result?: unknown; error?: { code: number; message: string } } & Partial<Notice>;

/** Connects a WebSocket client that makes calls and receives notifications in their order. */
export const connectTo = async (url: string) => {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const messages = on(socket, 'message', { close: ['close'] });
  const closed = once(socket, 'close').then(([code]) => code as number);
  const notices: Notice[] = [];
  await once(socket, 'open');
  let lastId = 0;
  const next = async (): Promise<Message> => JSON.parse(String((await messages.next()).value[0]));
  return {
    socket,
    closed,
    notices,
    next,
    call: async (method: string, ...params: unknown[]): Promise<Message> => {
      const id = ++lastId;
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      for (;;) {
        const message = await next();
        if (message.id === id) return message;
        notices.push(message as Notice);
      }
    },
    /** Waits for `count` notifications and returns them. */
    noticed: async (count: number): Promise<readonly Notice[]> => {
      while (notices.length < count) notices.push((await next()) as Notice);
      return notices.splice(0);
    },
  };
};

/** Tries to connect, and returns the status, the headers and the error code of the rejection. */
export const rejectedUpgrade = async (url: string, headers: Record<string, string> = {}) => {
  const [, response] = await once(new WebSocket(url, { headers }), 'unexpected-response');
  const { statusCode: status, headers: responseHeaders } = response as IncomingMessage;
  const [body] = await once(response, 'data');
  return { status, headers: responseHeaders, code: JSON.parse(String(body)).error.code as number };
};
