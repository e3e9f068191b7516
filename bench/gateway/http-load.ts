import { connect } from 'node:net';
import { until } from '../measure/until.js';
import { processorMs } from './processor.js';

const connections = 32;
const closingPattern = /\r\nconnection: close\r\n/i;
const maxHead = 1024;
const lengthPattern = /\r\ncontent-length: (\d+)\r\n/i;

export type Target = { readonly url: string; readonly pid: number | undefined; body(i: number): string };

/** Returns the length of a response, head and body; 0 while its head is incomplete. */
const lengthOf = (received: Buffer) => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return 0;
  const head = received.toString('latin1', 0, end + 2);
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`answered with ${head.split('\r\n', 1)[0]}`);
  return end + 4 + Number(lengthPattern.exec(head)?.[1] ?? 0);
};

/**
 * Sends one request after the other on one connection, and reconnects when the server closes it. Has minimal overhead.
 */
const drive = ({ url, body }: Target, next: () => number, answered: () => void): (() => void) => {
  const { hostname, port, pathname } = new URL(url);
  let socket = connect(Number(port), hostname);
  const ask = () => {
    const text = body(next());
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
  };
  let chunks: Buffer[] = [];
  let received = 0;
  let expected = 0;
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    received += chunk.length;
    if (expected === 0) expected = lengthOf(chunks.length === 1 ? chunk : Buffer.concat(chunks));
    if (expected === 0 || received < expected) return;
    const isLast = closingPattern.test(chunks[0]?.toString('latin1', 0, maxHead) ?? '');
    chunks = [];
    received = 0;
    expected = 0;
    answered();
    if (isLast) reopen();
    else ask();
  };
  const listen = () => socket.on('data', take).on('connect', ask);
  const reopen = () => {
    socket.destroy();
    socket = connect(Number(port), hostname);
    listen();
  };
  listen();
  return () => socket.destroy();
};

let serial = 0;

/**
 * Returns the responses per second of the server's CPU time, with 32 connections. CPU time excludes other load on the
 * machine.
 */
export const requestsPerSecond = async (target: Target, requests: number): Promise<number> => {
  let answers = 0;
  const drivers = Array.from({ length: connections }, () =>
    drive(
      target,
      () => serial++,
      () => answers++,
    ),
  );
  // The first requests warm up the server.
  await until(() => answers >= requests / 4);
  const [before, started] = [answers, processorMs(target.pid)];
  await until(() => answers >= before + requests);
  const rate = ((answers - before) * 1000) / (processorMs(target.pid) - started);
  for (const stop of drivers) stop();
  return rate;
};
