import { type Dispatcher, Pool } from 'undici';
import type { Arrival, Cancellation } from '../../../application/async/cancellation.js';
import { NodeFault, toFailing } from '../node-fault.js';
import { credentialsIn } from '../node-url.js';
import { retryAfterMs } from '../retry-after.js';

type HttpLimits = { readonly connections: number; readonly connectMs: number; readonly maxBytes: number };

/** Reads an answer from its status and the pieces of its body; throws a NodeFault when there is none in it. */
type Read<T> = (status: number, pieces: readonly Buffer[]) => T;

type Settle<T> = { read: Read<T>; resolve(answer: T): void; reject(fault: unknown): void };

const maxRestMs = 5000;
/** "Not Implemented" and "HTTP Version Not Supported": statuses of a node that works but will never answer this request. */
const lasting: readonly number[] = [501, 505];

/** Tells of a status with which the body is not worth reading; null for all others. */
const faultOfStatus = (status: number, retryAfter: unknown): NodeFault | null => {
  if (status === 429) return new NodeFault('busy', 'asks for fewer requests', retryAfterMs(retryAfter, maxRestMs));
  return status >= 500 && !lasting.includes(status) ? new NodeFault('failing', `answered with status ${status}`) : null;
};

/** Length up to which nobody is told that an answer arrives, since almost all are shorter. */
const modest = 65_536;

/** Collects an answer. The connection is let go of at once when the cancellation leaves or the answer grows too large. */
const handlerFor = <T>(
  cancellation: Cancellation,
  maxBytes: number,
  { read, resolve, reject }: Settle<T>,
): Dispatcher.DispatchHandler => {
  const pieces: Buffer[] = [];
  let status = 0;
  let length = 0;
  const arrival: Arrival = { bytes: 0 };
  const tell = (bytes: number) => {
    arrival.bytes = bytes;
    cancellation.receive?.(arrival);
  };
  const fail = (fault: unknown) => {
    if (length > modest) tell(0);
    reject(fault);
  };
  let started: Dispatcher.DispatchController | null = null;
  const leave = () => {
    const gone = new Error('nobody waits for the answer');
    fail(toFailing(gone));
    started?.abort(gone);
  };
  // The cancellation may leave while the request still waits for a connection.
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
      controller.abort(new Error('not an answer'));
    },
    onResponseData: (controller, piece) => {
      length += piece.length;
      if (length <= maxBytes) {
        pieces.push(piece);
        if (length > modest) tell(length);
        return;
      }
      fail(new NodeFault('oversized', `gave an answer that is larger than ${maxBytes} bytes`));
      controller.abort(new Error('the answer is too large'));
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

/** Posts JSON to one node and hands over the bytes of its answers. */
export const createHttp = (url: URL, { connections, connectMs, maxBytes }: HttpLimits) => {
  const pool = new Pool(url.origin, { connections, connect: { timeout: connectMs } });
  const path = `${url.pathname}${url.search}`;
  const headers = { 'content-type': 'application/json', ...credentialsIn(url) };
  return {
    post: <T>(body: string, cancellation: Cancellation, read: Read<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const handler = handlerFor(cancellation, maxBytes, { read, resolve, reject });
        pool.dispatch({ path, method: 'POST', headers, body }, handler);
      }),
    close: () => pool.destroy(),
  };
};
