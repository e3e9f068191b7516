import type { Cancellation } from '../../application/async/cancellation.js';
import { type MaybePromise, mapMaybe } from '../../application/async/maybe-promise.js';
import { offeredMethod } from '../../application/gateway/configured-methods.js';
import { rangeFault } from '../../application/gateway/log-range.js';
import { explainMethod, type Method } from '../../application/gateway/methods.js';
import { filter, paramsFault, withDefaults } from '../../application/gateway/params.js';
import { type Node, NodeTimeout, type RpcAnswer, type RpcCall } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { Failure } from '../../domain/failure.js';
import { isRecord } from '../../domain/rpc-value.js';
import { type Call, failed, type Message, rpcCodes } from './json-rpc.js';
import type { Load } from './load.js';

export type Reply = { readonly id: string; readonly answer: RpcAnswer };

/** Context in which calls are answered. */
export type CallContext = {
  readonly node: Node;
  readonly log: Log;
  /** Counts the bytes of the answers, and discards answers that exceed the limit. */
  readonly load: Load;
  /** True if a node must be asked even if the answer is in the cache. */
  readonly bypassCache?: boolean;
  /**
   * Explains why the caller may not call a method, given its documented name; returns null if the caller may.
   */
  readonly faultOf?: ((method: string) => string | null) | undefined;
  /** Answers the methods of filters and subscriptions, which exist only over WebSocket. */
  readonly own?: (method: Method, call: Call) => Promise<RpcAnswer>;
};

const explain = (error: unknown, log: Log): RpcAnswer => {
  if (error instanceof NodeTimeout) return failed(rpcCodes.nodeTimeout, error.message);
  if (error instanceof Failure)
    return failed(error.code === 'UNAVAILABLE' ? rpcCodes.noNode : rpcCodes.internal, error.message);
  log.error({ err: error }, 'Gateway call failed');
  return failed(rpcCodes.internal, 'internal error');
};

/**
 * Converts parameters to the form that nodes expect: renames the filter member `blockhash`
 * (docs/specification.md#filter) to `blockHash`, and fills in the default block.
 */
const toNodeParams = ({ params }: Method, given: readonly unknown[]) => {
  const [first] = given;
  if (params[0]?.kind !== filter) return withDefaults(params, given);
  if (!isRecord(first) || first.blockhash === undefined) return given;
  const { blockhash, ...rest } = first;
  return [{ ...rest, blockHash: rest.blockHash ?? blockhash }];
};

/** Returns the method of a call, or an error if the method is not available or its parameters are invalid. */
const methodOf = ({ method: name, params }: Call, { node, own, faultOf }: CallContext): Method | RpcAnswer => {
  const method = offeredMethod(name, node);
  if (!method || (method.over === 'socket' && !own))
    return failed(rpcCodes.noMethod, explainMethod(name, node.isDevelopment));
  const refusal = faultOf?.(method.name) ?? null;
  if (refusal !== null) return failed(rpcCodes.noMethod, refusal);
  const fault = paramsFault(method.params, params);
  return fault ? failed(rpcCodes.invalidParams, fault) : method;
};

/** Forwards a call to the nodes. */
const ask = (
  method: Method,
  { params }: Call,
  { node, bypassCache }: CallContext,
  cancellation: Cancellation,
): MaybePromise<RpcAnswer> => {
  const given = { method: method.nodeName, params: toNodeParams(method, params) };
  const call: RpcCall = bypassCache ? { ...given, bypassCache } : given;
  if (method.params[0]?.kind !== filter) return node.answer(call, cancellation);
  return mapMaybe(rangeFault(node, params[0]), (fault) =>
    fault ? failed(rpcCodes.invalidParams, `invalid argument 0 (filter): ${fault}`) : node.answer(call, cancellation),
  );
};

const answerCall = (call: Call, context: CallContext, cancellation: Cancellation): MaybePromise<RpcAnswer> => {
  const method = methodOf(call, context);
  if (!('name' in method)) return method;
  const { own, log } = context;
  const fault = (error: unknown) =>
    cancellation.isCancelled() ? failed(rpcCodes.internal, 'client disconnected') : explain(error, log);
  try {
    const answer = method.over === 'socket' && own ? own(method, call) : ask(method, call, context, cancellation);
    return answer instanceof Promise ? answer.catch(fault) : answer;
  } catch (error) {
    return fault(error);
  }
};

const none: readonly Reply[] = [];

/**
 * Answers one call. Returns a function that returns the reply to this call, or no reply to a notification. The function
 * must be called only after all calls of the message were answered.
 */
const begin = (call: Message['calls'][number], context: CallContext): MaybePromise<() => readonly Reply[]> => {
  const { id } = call;
  if ('code' in call) return () => [{ id: call.id, answer: failed(call.code, call.message) }];
  const { cancellation, settle, answer } = context.load.join();
  return mapMaybe(answerCall(call, context, cancellation), (given) => {
    settle(given);
    return id === null ? () => none : () => [{ id, answer: answer() }];
  });
};

/** Answers all calls of a message, in order. A failed call does not affect the other calls. */
export const answerMessage = ({ calls }: Message, context: CallContext): MaybePromise<readonly Reply[]> => {
  const [only] = calls;
  if (calls.length === 1 && only) return mapMaybe(begin(only, context), (reply) => reply());
  return Promise.all(calls.map(async (call) => begin(call, context))).then((all) => all.flatMap((reply) => reply()));
};

const headOf = ({ id, answer }: Reply) =>
  'result' in answer ? `{"jsonrpc":"2.0","id":${id},"result":` : `{"jsonrpc":"2.0","id":${id},"error":`;
const bodyOf = ({ answer }: Reply) => ('result' in answer ? answer.result : answer.error);

/** Size in bytes up to which writing a string is faster than writing bytes. */
const maxText = 16_384;
const ascii = /^[\x20-\x7e]*$/;
const close = '}';

const bufferOf = (bytes: Uint8Array) =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
const textOf = (bytes: Uint8Array) => bufferOf(bytes).toString('latin1');

/**
 * Encodes one reply. Results of more than `maxText` bytes are not copied. In returned strings, each character stands
 * for one byte.
 */
const encodeOne = (reply: Reply): readonly (string | Uint8Array)[] => {
  const head = headOf(reply);
  const start = ascii.test(reply.id) ? head : textOf(Buffer.from(head));
  if ('pieces' in reply.answer && reply.answer.pieces) return [start, ...reply.answer.pieces, close];
  const body = bodyOf(reply);
  return body.length > maxText ? [start, body, close] : [`${start}${textOf(body)}${close}`];
};

/** Encodes the replies to a batch without copying results of more than `maxText` bytes. Joins adjacent strings. */
const encodeBatch = (replies: readonly Reply[]): readonly (string | Uint8Array)[] => {
  const pieces: (string | Uint8Array)[] = [];
  let text = '';
  for (const [i, reply] of replies.entries()) {
    text += i === 0 ? '[' : ',';
    for (const piece of encodeOne(reply)) {
      if (typeof piece === 'string') text += piece;
      else {
        pieces.push(text, piece);
        text = '';
      }
    }
  }
  return [...pieces, replies.length === 0 ? '' : `${text}]`];
};

/** Encodes the replies as one JSON-RPC body, in pieces: an object for a single call, an array for a batch. */
export const encodeAll = (replies: readonly Reply[], isBatch: boolean): readonly (string | Uint8Array)[] => {
  const [only] = replies;
  return only && !isBatch ? encodeOne(only) : encodeBatch(replies);
};

/** Encodes the replies like `encodeAll`, but as one buffer. */
export const encode = (replies: readonly Reply[], isBatch: boolean): Buffer =>
  Buffer.concat(
    encodeAll(replies, isBatch).map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
  );
