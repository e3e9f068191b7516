import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '../measure/until.js';
import { processorMs } from './processor.js';

const atOnce = 100;
const mask = Buffer.from([1, 2, 3, 4]);

/** Encodes a text of up to 65,535 bytes as a masked WebSocket frame. */
const frame = (text: string) => {
  const payload = Buffer.from(text).map((byte, i) => byte ^ (mask[i % 4] as number));
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from([0x81, ...length]), mask, payload]);
};

const open = async (url: string, greeting: string | null) => {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n`,
  );
  await once(socket, 'data');
  if (greeting) {
    socket.write(frame(greeting));
    await once(socket, 'data');
  }
  return socket;
};

export type Crowd = { readonly sockets: readonly Socket[]; readonly received: () => number; close(): void };

/** Opens `count` WebSocket clients, which only count the bytes that they receive. */
export const gather = async (url: string, count: number, greeting: string | null): Promise<Crowd> => {
  const sockets: Socket[] = [];
  let received = 0;
  while (sockets.length < count) {
    const some = await Promise.all(
      Array.from({ length: Math.min(atOnce, count - sockets.length) }, () => open(url, greeting)),
    );
    for (const socket of some) socket.on('data', ({ length }) => (received += length));
    sockets.push(...some);
  }
  return {
    sockets,
    received: () => received,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
};

/**
 * Calls `go` and waits for `messages` messages of `bytes` bytes each. Returns the messages per second of the server's
 * CPU time.
 */
export const messagesPerSecond = async (
  crowd: Crowd,
  messages: number,
  bytes: number,
  pid: number | undefined,
  go: () => void,
) => {
  const before = crowd.received();
  const started = processorMs(pid);
  go();
  await until(() => crowd.received() - before >= messages * bytes);
  return (messages * 1000) / (processorMs(pid) - started);
};
