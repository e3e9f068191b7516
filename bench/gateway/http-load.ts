import { connect, type Socket } from 'node:net';
import { until } from '../until.js';
import { processorMs } from './processor.js';

const connections = 32;
const lengthPattern = /\r\ncontent-length: (\d+)\r\n/i;

export type Target = { readonly url: string; readonly pid: number | undefined; body(i: number): string };

/** How long an answer is, head and body; 0 while its head is not there. */
const lengthOf = (received: Buffer) => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return 0;
  const head = received.toString('latin1', 0, end + 2);
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`answered with ${head.split('\r\n', 1)[0]}`);
  return end + 4 + Number(lengthPattern.exec(head)?.[1] ?? 0);
};

/** One request after the other on one connection, with as little work as can be. */
const drive = ({ url, body }: Target, next: () => number, answered: () => void): Socket => {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const ask = () => {
    const text = body(next());
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
  };
  let chunks: Buffer[] = [];
  let received = 0;
  let expected = 0;
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    received += chunk.length;
    if (expected === 0) expected = lengthOf(chunks.length === 1 ? chunk : Buffer.concat(chunks));
    if (expected === 0 || received < expected) return;
    chunks = [];
    received = 0;
    expected = 0;
    answered();
    ask();
  });
  socket.on('connect', ask);
  return socket;
};

let serial = 0;

/** Answers a second of the server's own time, over 32 connections: what else the machine does is not counted. */
export const requestsPerSecond = async (target: Target, requests: number): Promise<number> => {
  let answers = 0;
  const sockets = Array.from({ length: connections }, () =>
    drive(
      target,
      () => serial++,
      () => answers++,
    ),
  );
  // The first ones find nothing ready yet.
  await until(() => answers >= requests / 4);
  const [before, started] = [answers, processorMs(target.pid)];
  await until(() => answers >= before + requests);
  const rate = ((answers - before) * 1000) / (processorMs(target.pid) - started);
  for (const socket of sockets) socket.destroy();
  return rate;
};
