import { createCancellation } from '../../../application/async/cancellation.js';
import { slicesOf } from '../../../application/async/slices.js';
import { withDeadline } from '../../deadline.js';
import { createHttp } from '../../nodes/json-rpc/http.js';
import { requestText } from '../../nodes/json-rpc/request.js';
import { createSocket } from '../../nodes/json-rpc/websocket.js';
import { asFailing, NodeFault } from '../../nodes/node-fault.js';
import { isRaw } from '../../nodes/raw.js';
import { faultOfResponse, type Outcome, outcome, parse, type RpcCall, resultOf } from './outcome.js';

/** Connection to one EVM node over HTTP or WebSocket. */
export type Transport = {
  /** Returns the outcomes in the order of the calls. Rejects with a NodeFault if the node does not answer at all. */
  exchange(calls: readonly RpcCall[], ms: number): Promise<readonly Outcome[]>;
  /** Reports new heads until the connection closes or the signal aborts. Present only over WebSocket. */
  watchHeads?(notice: () => void, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

export type TransportLimits = { readonly connectMs: number; readonly maxBytes: number };

const connections = 32;
/** Maximum number of concurrent calls to a node that does not accept batches. */
const maxConcurrentSingles = 8;

/** Parses a response completely as JSON. The gateway, in contrast, forwards responses as bytes. */
const readBody = (status: number, pieces: readonly Buffer[]): unknown => {
  const text = Buffer.concat(pieces).toString();
  if (status !== 200) throw faultOfResponse(status, text);
  return parse(text);
};

const answerTo = (id: number, answer: unknown): Outcome => {
  // A node that could not read the request returns an error without its id, so the id of an error is not checked.
  if (isRaw(answer) && answer.id !== id && !answer.error)
    throw new NodeFault('failing', 'answered with another id than requested');
  return outcome(answer);
};

const answersTo = (calls: readonly RpcCall[], answers: unknown): readonly Outcome[] => {
  if (!Array.isArray(answers)) {
    const whole = outcome(answers);
    throw 'fault' in whole ? whole.fault : new NodeFault('refused', 'does not accept batches');
  }
  if (answers.length < calls.length) throw new NodeFault('refused', 'does not accept batches of this size');
  const byId = new Map<unknown, unknown>(answers.map((answer) => [isRaw(answer) ? answer.id : undefined, answer]));
  return calls.map((_, id) => answerTo(id, byId.get(id)));
};

const isTemporary = (error: unknown) =>
  !(error instanceof NodeFault) || error.kind === 'busy' || error.kind === 'failing';

const textOf = ({ method, params }: RpcCall, id: number) => requestText(method, JSON.stringify(params), id);

export const httpTransport = (url: URL, limits: TransportLimits): Transport => {
  const http = createHttp(url, { ...limits, connections });
  let takesBatches = true;

  const post = (body: string, ms: number): Promise<unknown> => {
    const cancellation = createCancellation();
    return withDeadline(http.post(body, cancellation, readBody), ms, cancellation.cancel).catch(asFailing);
  };
  const single = async (call: RpcCall, ms: number) => answerTo(0, await post(textOf(call, 0), ms));
  const singles = async (calls: readonly RpcCall[], ms: number) => {
    const until = performance.now() + ms;
    const outcomes: Outcome[] = [];
    for (const some of slicesOf(calls, maxConcurrentSingles)) {
      const left = Math.max(until - performance.now(), 1);
      outcomes.push(...(await Promise.all(some.map((call) => single(call, left)))));
    }
    return outcomes;
  };

  return {
    exchange: async (calls, ms) => {
      if (calls.length < 2 || !takesBatches) return singles(calls, ms);
      try {
        return answersTo(calls, await post(`[${calls.map(textOf).join(',')}]`, ms));
      } catch (error) {
        if (isTemporary(error)) throw error;
        const outcomes = await singles(calls, ms);
        takesBatches = (error as NodeFault).kind === 'oversized';
        return outcomes;
      }
    },
    close: http.close,
  };
};

const readMessage = (bytes: Buffer) => {
  const message = parse(bytes.toString());
  if (!isRaw(message)) throw new NodeFault('failing', 'sent a message that is not JSON-RPC');
  const { id, params } = message;
  return isRaw(params)
    ? { subscription: params.subscription, result: params.result }
    : { id: String(id), answer: outcome(message) };
};

export const webSocketTransport = (url: URL, limits: TransportLimits): Transport => {
  const socketLimits = { ...limits, pingIntervalMs: limits.connectMs };
  const socket = createSocket<Outcome>(url, socketLimits, { message: readMessage, subscriptionId: resultOf });
  return {
    exchange: (calls, ms) => {
      const cancellation = createCancellation();
      const asked = calls.map(({ method, params }) => socket.exchange(method, JSON.stringify(params), cancellation));
      return withDeadline(Promise.all(asked), ms, cancellation.cancel).catch(asFailing);
    },
    // The last argument reports a head once the subscription exists, because heads may have come before that.
    watchHeads: (notice, signal) => socket.listen('newHeads', notice, signal, notice),
    close: socket.close,
  };
};
