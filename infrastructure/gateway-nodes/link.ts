import type { Cancellation } from '../../application/async/cancellation.js';
import { createBundles, type Question, readBatch } from '../nodes/json-rpc/batch.js';
import { type Envelope, readEnvelope, readPieces } from '../nodes/json-rpc/envelope.js';
import { createHttp } from '../nodes/json-rpc/http.js';
import { requestText } from '../nodes/json-rpc/request.js';
import { createSocket } from '../nodes/json-rpc/websocket.js';
import { NodeFault } from '../nodes/node-fault.js';

/** A connection to one node that hands on its answers unread. Every promise rejects with a NodeFault. */
export type Link = {
  /** `params` is JSON. Questions of one bundle that are asked at the same time go as one batch. */
  exchange(method: string, params: string, cancellation: Cancellation, bundle?: symbol): Promise<Envelope>;
  /** Present over WebSocket. Resolves when the connection ends or the signal fires; calls `begun` once subscribed. */
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

/** Statuses of a key or a path that the node no longer takes, which is never the fault of the caller. */
const unwelcome: readonly number[] = [401, 402, 403, 404, 405, 407];

/** Reads an answer; some nodes send their errors with a status of 400 or so. */
const readAnswer = (status: number, pieces: readonly Buffer[], id: number): Envelope => {
  const envelope = unwelcome.includes(status) ? null : readPieces(pieces);
  if (!envelope || (status !== 200 && !('error' in envelope)))
    throw failing(status === 200 ? 'answered with something that is not JSON-RPC' : `answered with status ${status}`);
  // A question that the node could not read at all is answered without its id.
  if (envelope.id !== String(id) && !('error' in envelope)) throw failing('answered another question than was asked');
  return envelope;
};

/** Reads answers in the order of the ids; null where the node says, with an error or a status, that it takes no batches. */
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
  const bundled = createBundles({
    alone,
    together: (questions, cancellation) => {
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

/** Reads an answer without parsing its result, and a notice whole. */
const readMessage = (bytes: Buffer) => {
  const envelope = readEnvelope(bytes);
  if (envelope?.id != null) return { id: envelope.id, answer: envelope };
  const { params } = JSON.parse(bytes.toString()) as Notice;
  return { subscription: params?.subscription, result: params?.result };
};

const subscriptionId = (answer: Envelope): unknown => {
  if ('error' in answer) throw new NodeFault('unsupported', 'does not take the subscription');
  return JSON.parse(answer.result.toString()) as unknown;
};

/** Calls `ended` whenever a connection ends: after the next one is made, another node may answer. */
export const socketLink = (url: URL, ended: () => void): Link =>
  createSocket(
    url,
    { connectMs, maxBytes: maxAnswerLength, silentMs },
    { message: readMessage, subscriptionId, ended },
  );
