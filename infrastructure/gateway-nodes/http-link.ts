import { type Dispatcher, Pool } from 'undici';
import type { Waiter } from '../../application/async/cancellation.js';
import { NodeFault } from '../chains/nodes/node-fault.js';
import { createBundles, type Question, readBatch } from './batch.js';
import { type Envelope, readEnvelope, readPieces } from './envelope.js';
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
const readAnswer = (status: number, pieces: readonly Buffer[], id: number): Envelope => {
  const envelope = readPieces(pieces);
  if (!envelope || (status !== 200 && !('error' in envelope)))
    throw failing(status === 200 ? 'answered with something that is not JSON-RPC' : `answered with status ${status}`);
  // What could not be understood at all is answered without its id.
  if (envelope.id !== String(id) && !('error' in envelope)) throw failing('answered another question than was asked');
  return envelope;
};

/** By place; null where the node takes no batches, which it says with an error, or with a status that is one. */
const readAnswers = (status: number, pieces: readonly Buffer[], ids: readonly number[]) => {
  const bytes = Buffer.concat(pieces);
  const answers = status === 200 ? readBatch(bytes) : null;
  if (answers) return ids.map((id) => answers.get(String(id)) ?? null);
  const envelope = readEnvelope(bytes);
  if (status === 200 && !(envelope && 'error' in envelope))
    throw failing('answered with something that is not JSON-RPC');
  return null;
};

type Settle<T> = {
  read(status: number, pieces: readonly Buffer[]): T;
  resolve(answer: T): void;
  reject(fault: NodeFault): void;
};

/** Collects an answer; a client that leaves, or an answer that grows without end, lets go of the connection at once. */
const handlerFor = <T>(waiter: Waiter, { read, resolve, reject }: Settle<T>): Dispatcher.DispatchHandler => {
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
        resolve(read(status, chunks));
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
  const nextId = () => {
    lastId = (lastId % 1e9) + 1;
    return lastId;
  };
  const post = <T>(body: string, waiter: Waiter, read: Settle<T>['read']): Promise<T> =>
    new Promise((resolve, reject) => {
      pool.dispatch({ path, method: 'POST', headers, body }, handlerFor(waiter, { read, resolve, reject }));
    });
  const alone = ({ method, params, waiter }: Question) => {
    const id = nextId();
    return post(envelopeOf(method, params, id), waiter, (status, pieces) => readAnswer(status, pieces, id));
  };
  const bundled = createBundles({
    alone,
    together: (questions, waiter) => {
      const ids = questions.map(nextId);
      const calls = questions.map(({ method, params }, place) => envelopeOf(method, params, ids[place] as number));
      return post(`[${calls.join(',')}]`, waiter, (status, pieces) => readAnswers(status, pieces, ids));
    },
  });
  return {
    exchange: (method, params, waiter, bundle) => {
      const question = { method, params, waiter };
      return bundle ? bundled(bundle, question) : alone(question);
    },
    close: () => pool.destroy(),
  };
};
