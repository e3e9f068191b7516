import { type Dispatcher, Pool } from 'undici';
import type { Arrival, Cancellation } from '../../../application/async/cancellation.js';
import { inClientSpan } from '../../tracing/active-span.js';
import { NodeFault, toFailing } from '../node-fault.js';
import { credentialsIn } from '../node-url.js';
import { retryAfterMs } from '../retry-after.js';

type HttpLimits = { readonly connections: number; readonly connectMs: number; readonly maxBytes: number };

/** Reads an answer from the status and the body chunks. Throws a NodeFault if the body contains no answer. */
type Read<T> = (status: number, pieces: readonly Buffer[]) => T;

type Settle<T> = { read: Read<T>; resolve(answer: T): void; reject(fault: unknown): void };

const maxRestMs = 5000;
/** Statuses of a working node that will never accept this request: "Not Implemented", "HTTP Version Not Supported". */
const permanentStatuses: readonly number[] = [501, 505];

/** Returns the fault of an HTTP status that makes the body irrelevant; null if the body must be read. */
const faultOfStatus = (status: number, retryAfter: unknown): NodeFault | null => {
  if (status === 429) return new NodeFault('busy', 'is rate limited (status 429)', retryAfterMs(retryAfter, maxRestMs));
  return status >= 500 && !permanentStatuses.includes(status)
    ? new NodeFault('failing', `answered with status ${status}`)
    : null;
};

/**
 * Answer size in bytes above which the number of received bytes is reported to the cancellation (`receive`). Almost all
 * answers are smaller.
 */
const monitoredAnswerBytes = 65_536;

/**
 * Creates a handler that collects an answer. It aborts the connection at once if the request is cancelled or the answer
 * exceeds `maxBytes`.
 */
const handlerFor = <T>(
  cancellation: Cancellation,
  maxBytes: number,
  { read, resolve, reject }: Settle<T>,
): Dispatcher.DispatchHandler => {
  const pieces: Buffer[] = [];
  let status = 0;
  let length = 0;
  const arrival: Arrival = { bytes: 0 };
  const reportArrival = (bytes: number) => {
    arrival.bytes = bytes;
    cancellation.receive?.(arrival);
  };
  const fail = (fault: unknown) => {
    if (length > monitoredAnswerBytes) reportArrival(0);
    reject(fault);
  };
  let started: Dispatcher.DispatchController | null = null;
  const leave = () => {
    const gone = new Error('request cancelled');
    fail(toFailing(gone));
    started?.abort(gone);
  };
  // Listens before the request starts, because the request may be cancelled while it still waits for a connection.
  const done = cancellation.onCancel(leave);
  return {
    onRequestStart: (controller) => {
      started = controller;
      if (cancellation.isCancelled()) leave();
    },
    onResponseStart: (controller, statusCode, headers) => {
      status = statusCode;
      const fault = faultOfStatus(status, headers['retry-after']);
      if (!fault) return;
      reject(fault);
      controller.abort(new Error('unusable status'));
    },
    onResponseData: (controller, piece) => {
      length += piece.length;
      if (length <= maxBytes) {
        pieces.push(piece);
        if (length > monitoredAnswerBytes) reportArrival(length);
        return;
      }
      fail(new NodeFault('oversized', `returned an answer larger than ${maxBytes} bytes`));
      controller.abort(new Error('answer too large'));
    },
    onResponseEnd: () => {
      done();
      try {
        resolve(read(status, pieces));
      } catch (error) {
        reject(error);
      }
    },
    onResponseError: (_, error) => {
      done();
      fail(toFailing(error));
    },
  };
};

/**
 * Describes a request for tracing. The method precedes the parameters in the text, so the first match is the method.
 */
const spanOf = ({ hostname }: URL, body: string) => {
  const method = body.startsWith('[') ? 'batch' : (/"method":"(\w+)"/.exec(body)?.[1] ?? 'unknown');
  const attributes = { 'rpc.system.name': 'jsonrpc', 'rpc.method': method, 'server.address': hostname };
  return { name: method, attributes };
};

/** Creates a client that posts JSON to one node and passes the response bytes to `read`. */
export const createHttp = (url: URL, { connections, connectMs, maxBytes }: HttpLimits) => {
  const pool = new Pool(url.origin, { connections, connect: { timeout: connectMs } });
  const path = `${url.pathname}${url.search}`;
  const headers = { 'content-type': 'application/json', ...credentialsIn(url) };
  return {
    post: <T>(body: string, cancellation: Cancellation, read: Read<T>): Promise<T> =>
      inClientSpan(
        () => spanOf(url, body),
        (span) =>
          new Promise((resolve, reject) => {
            const handler = handlerFor(cancellation, maxBytes, { read, resolve, reject });
            const sent = span ? { ...headers, ...span.headers } : headers;
            pool.dispatch({ path, method: 'POST', headers: sent, body }, handler);
          }),
      ),
    close: () => pool.destroy(),
  };
};
