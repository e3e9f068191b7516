import { type Dispatcher, Pool } from 'undici';
import type { Waiter } from '../../application/gateway/waiter.js';
import { NodeFault } from '../chains/nodes/node-fault.js';
import { type Envelope, readEnvelope } from './envelope.js';
import { connectMs, envelopeOf, type Link, longestAnswer, toFault } from './link.js';

const connections = 256;
const longestRestMs = 5000;

const failing = (message: string) => new NodeFault('failing', message);

const credentialsIn = ({ username, password }: URL): Record<string, string> =>
  username
    ? { authorization: `Basic ${Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')}` }
    : {};

/** `retry-after` in seconds; a date is not worth the trouble. */
const restOf = (header: unknown) => Math.min(Number(header) * 1000 || 0, longestRestMs);

const isHealthy = (status: number) => status < 500 && status !== 429;

const faultOfStatus = (status: number, retryAfter: unknown) =>
  status === 429
    ? new NodeFault('busy', 'asks for fewer requests', restOf(retryAfter))
    : failing(`answered with status ${status}`);

/** Some nodes answer their errors with a status of 400 or so; what is no JSON-RPC then is no answer. */
const readAnswer = (status: number, bytes: Buffer, id: number): Envelope => {
  const envelope = readEnvelope(bytes);
  if (!envelope || (status !== 200 && !('error' in envelope)))
    throw failing(status === 200 ? 'answered with something that is not JSON-RPC' : `answered with status ${status}`);
  // What could not be understood at all is answered without its id.
  if (envelope.id !== String(id) && !('error' in envelope)) throw failing('answered another question than was asked');
  return envelope;
};

type Settle = { resolve(envelope: Envelope): void; reject(fault: NodeFault): void };

/** Collects an answer; a client that leaves, or an answer that grows without end, lets go of the connection at once. */
const handlerFor = (id: number, waiter: Waiter, { resolve, reject }: Settle): Dispatcher.DispatchHandler => {
  const chunks: Buffer[] = [];
  let status = 0;
  let length = 0;
  let started: Dispatcher.DispatchController | null = null;
  const leave = () => {
    const gone = new Error('nobody waits for the answer');
    reject(toFault(gone, failing));
    started?.abort(gone);
  };
  // It may still wait for a connection, or for one to open.
  const done = waiter.onLeave(leave);
  return {
    onRequestStart: (controller) => {
      started = controller;
      if (waiter.hasLeft()) leave();
    },
    onResponseStart: (controller, statusCode, headers) => {
      status = statusCode;
      if (isHealthy(status)) return;
      reject(faultOfStatus(status, headers['retry-after']));
      controller.abort(new Error('not an answer'));
    },
    onResponseData: (controller, chunk) => {
      length += chunk.length;
      if (length > longestAnswer) controller.abort(new Error('the answer is too large'));
      else chunks.push(chunk);
    },
    onResponseEnd: () => {
      done();
      try {
        resolve(readAnswer(status, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), id));
      } catch (error) {
        reject(error as NodeFault);
      }
    },
    onResponseError: (_, error) => {
      done();
      reject(toFault(error, failing));
    },
  };
};

export const httpLink = (url: URL): Link => {
  const pool = new Pool(url.origin, { connections, connect: { timeout: connectMs } });
  const path = `${url.pathname}${url.search}`;
  const headers = { 'content-type': 'application/json', ...credentialsIn(url) };
  let lastId = 0;
  return {
    exchange: (method, params, waiter) =>
      new Promise((resolve, reject) => {
        lastId = (lastId % 1e9) + 1;
        const body = envelopeOf(method, params, lastId);
        pool.dispatch({ path, method: 'POST', headers, body }, handlerFor(lastId, waiter, { resolve, reject }));
      }),
    close: () => pool.destroy(),
  };
};
