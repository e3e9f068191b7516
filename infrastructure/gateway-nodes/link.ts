import type { Cancellation } from '../../application/async/cancellation.js';
import { createBatcher, type Question, readBatch } from '../nodes/json-rpc/batch.js';
import { type Envelope, readEnvelope, readPieces } from '../nodes/json-rpc/envelope.js';
import { createHttp } from '../nodes/json-rpc/http.js';
import { requestText } from '../nodes/json-rpc/request.js';
import { createSocket } from '../nodes/json-rpc/websocket.js';
import { NodeFault } from '../nodes/node-fault.js';

/** Connection to one node, which passes on answers without parsing their results. Rejects only with a NodeFault. */
export type Link = {
  /**
   * Sends a call. `params` is JSON. Calls with the same `bundle` that are made in one turn of the event loop are sent
   * as one batch.
   */
  exchange(method: string, params: string, cancellation: Cancellation, bundle?: symbol): Promise<Envelope>;
  /**
   * Subscribes to notifications; available only over WebSocket. Calls `begun` once subscribed. Resolves when the
   * connection ends or the signal aborts.
   */
  listen?(
    subscription: string,
    notice: (result: unknown) => void,
    signal: AbortSignal,
    begun?: () => void,
  ): Promise<void>;
  close(): Promise<void>;
};

export const maxAnswerLength = 32 * 1024 * 1024;
const connectMs = 3000;
const silentMs = 30_000;
const connections = 256;

const failing = (message: string) => new NodeFault('failing', message);

/**
 * HTTP statuses for a rejected API key or path. The cause is the configured URL of the node, not the caller's request.
 */
const unwelcome: readonly number[] = [401, 402, 403, 404, 405, 407];

/** Reads an answer. Some nodes send JSON-RPC errors with an HTTP error status. */
const readAnswer = (status: number, pieces: readonly Buffer[], id: number): Envelope => {
  const envelope = unwelcome.includes(status) ? null : readPieces(pieces);
  if (!envelope || (status !== 200 && !('error' in envelope)))
    throw failing(status === 200 ? 'answered with something that is not JSON-RPC' : `answered with status ${status}`);
  // An error answer has no id when the node could not parse the request.
  if (envelope.id !== String(id) && !('error' in envelope)) throw failing('answered with the id of another request');
  return envelope;
};

/**
 * Reads the answers to a batch in the order of the ids; null when the response shows that the node does not support
 * batches.
 */
const readAnswers = (status: number, pieces: readonly Buffer[], ids: readonly number[]) => {
  if (unwelcome.includes(status)) throw failing(`answered with status ${status}`);
  const bytes = Buffer.concat(pieces);
  const answers = status === 200 ? readBatch(bytes) : null;
  if (answers) return ids.map((id) => answers.get(String(id)) ?? null);
  const envelope = readEnvelope(bytes);
  if (status === 200 && !(envelope && 'error' in envelope))
    throw failing('answered with something that is not JSON-RPC');
  return null;
};

export const httpLink = (url: URL): Link => {
  const { post, close } = createHttp(url, { connections, connectMs, maxBytes: maxAnswerLength });
  let lastId = 0;
  const nextId = () => {
    lastId = (lastId % 1e9) + 1;
    return lastId;
  };
  const alone = ({ method, params, cancellation }: Question) => {
    const id = nextId();
    return post(requestText(method, params, id), cancellation, (status, pieces) => readAnswer(status, pieces, id));
  };
  const bundled = createBatcher({
    sendOne: alone,
    sendBatch: (questions, cancellation) => {
      const ids = questions.map(nextId);
      const calls = questions.map(({ method, params }, place) => requestText(method, params, ids[place] as number));
      return post(`[${calls.join(',')}]`, cancellation, (status, pieces) => readAnswers(status, pieces, ids));
    },
  });
  return {
    exchange: (method, params, cancellation, bundle) => {
      const question = { method, params, cancellation };
      return bundle ? bundled(bundle, question) : alone(question);
    },
    close,
  };
};

type Notice = { readonly params?: { readonly subscription?: unknown; readonly result?: unknown } };

/** Reads a WebSocket message: keeps the result of an answer as bytes, and parses a notification completely. */
const readMessage = (bytes: Buffer) => {
  const envelope = readEnvelope(bytes);
  if (envelope?.id != null) return { id: envelope.id, answer: envelope };
  const { params } = JSON.parse(bytes.toString()) as Notice;
  return { subscription: params?.subscription, result: params?.result };
};

const subscriptionId = (answer: Envelope): unknown => {
  if ('error' in answer) throw new NodeFault('unsupported', 'rejected the subscription');
  return JSON.parse(answer.result.toString()) as unknown;
};

/** Connects over WebSocket. Calls `ended` whenever a connection ends, because the next one may lead to another node. */
export const socketLink = (url: URL, ended: () => void): Link =>
  createSocket(
    url,
    { connectMs, maxBytes: maxAnswerLength, pingIntervalMs: silentMs },
    { message: readMessage, subscriptionId, ended },
  );
