import { connect, type Socket } from 'node:net';
import { signatureHeaders } from '../../sdk/typescript/src/sign.js';
import { until } from '../measure/until.js';

export type Operation = {
  readonly url: string;
  readonly path: string;
  readonly credentials: { readonly key: string; readonly secret: string };
  body(i: number): string;
};

let serial = 0;
const headEnd = '\r\n\r\n';
const lengthPattern = /\r\ncontent-length: (\d+)\r\n/i;

/** Builds and signs the requests in advance, because the caller's work is not measured. */
const buildRequests = ({ path, credentials, body }: Operation, count: number): Promise<Buffer[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const text = body(serial++);
      const signed = Object.entries(await signatureHeaders(credentials, 'POST', path, text));
      const headers = [
        'host: 127.0.0.1',
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(text)}`,
        ...signed.map(([name, value]) => `${name}: ${value}`),
      ];
      return Buffer.from(`POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}${headEnd}${text}`);
    }),
  );

/** Returns whether a response is complete. Throws if the status of the response is not 200. */
const isComplete = (received: string) => {
  const end = received.indexOf(headEnd);
  if (end < 0) return false;
  if (!received.startsWith('HTTP/1.1 200')) throw new Error(`answered with ${received}`);
  return received.length >= end + headEnd.length + Number(lengthPattern.exec(received)?.[1] ?? 0);
};

/** Sends one request after the other on one connection, until `next` returns undefined. */
const drive = (url: string, next: () => Buffer | undefined, answered: (ms: number) => void): Socket => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  let received = '';
  let askedAt = 0;
  const ask = () => {
    const request = next();
    askedAt = performance.now();
    if (request) socket.write(request);
  };
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    if (!isComplete(received)) return;
    received = '';
    answered(performance.now() - askedAt);
    ask();
  });
  socket.on('connect', ask);
  return socket;
};

/**
 * Sends `count` requests on `connections` connections. Returns the duration of each request in ms, and the requests per
 * second.
 */
export const load = async (operation: Operation, count: number, connections: number) => {
  const requests = await buildRequests(operation, count);
  const times: number[] = [];
  let sent = 0;
  const started = performance.now();
  const sockets = Array.from({ length: connections }, () =>
    drive(
      operation.url,
      () => requests[sent++],
      (ms) => times.push(ms),
    ),
  );
  await until(() => times.length === count);
  const tookMs = performance.now() - started;
  for (const socket of sockets) socket.destroy();
  return { times, rate: (count * 1000) / tookMs };
};
