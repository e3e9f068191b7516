import type { Waiter } from '../../application/async/cancellation.js';
import type { NodeFault } from '../chains/nodes/node-fault.js';
import type { Envelope } from './envelope.js';

/** A connection to one node. Everything rejects with a NodeFault. */
export type Link = {
  /** `params` is JSON. What is asked at the same time in one bundle goes as one batch. */
  exchange(method: string, params: string, waiter: Waiter, bundle?: symbol): Promise<Envelope>;
  /** Only where a node can speak first: until the connection ends, which resolves, or the signal. `begun` once it does. */
  listen?(
    subscription: string,
    notice: (result: unknown) => void,
    signal: AbortSignal,
    begun?: () => void,
  ): Promise<void>;
  close(): Promise<void>;
};

export const longestAnswer = 32 * 1024 * 1024;
export const connectMs = 3000;

export const envelopeOf = (method: string, params: string, id: number) =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;

export const toFault = (error: unknown, asFault: (message: string) => NodeFault): NodeFault => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return asFault(String(message || code || 'no connection'));
};
