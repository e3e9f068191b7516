import type { Cancellation } from '../../application/async/cancellation.js';
import { type MaybePromise, mapMaybe } from '../../application/async/maybe-promise.js';
import { configuredMethod } from '../../application/gateway/configured-methods.js';
import { rangeFault } from '../../application/gateway/log-range.js';
import { explainMethod, findMethod, type Method } from '../../application/gateway/methods.js';
import { filter, paramsFault, withMissing } from '../../application/gateway/params.js';
import { type Node, NodeTimeout, type RpcAnswer } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { Failure } from '../../domain/failure.js';
import { isRecord } from '../../domain/rpc-value.js';
import { type Call, failed, type Message, rpcCodes } from './json-rpc.js';
import type { Load } from './load.js';

export type Reply = { readonly id: string; readonly answer: RpcAnswer };

/** Context in which calls are answered. */
export type Place = {
  readonly node: Node;
  readonly log: Log;
  /** Counts the bytes of the answers, and refuses them when they are too much. */
  readonly load: Load;
  /** True when the caller wants no remembered answers. */
  readonly isFresh?: boolean;
  /** Says why a caller may not call a method, by its documented name; null when it may. */
  readonly faultOf?: ((method: string) => string | null) | undefined;
  /** Answers the methods that only a WebSocket connection has: filters and subscriptions. */
  readonly own?: (method: Method, call: Call) => Promise<RpcAnswer>;
};

const explain = (error: unknown, log: Log): RpcAnswer => {
  if (error instanceof NodeTimeout) return failed(rpcCodes.nodeTimeout, error.message);
  if (error instanceof Failure)
    return failed(error.code === 'UNAVAILABLE' ? rpcCodes.noNode : rpcCodes.internal, error.message);
  log.error({ err: error }, 'a gateway call failed');
  return failed(rpcCodes.internal, 'an unexpected error');
};

/**
 * Renames `blockhash`, which filters may have (docs/specification.md#filter), to `blockHash`, which nodes read, and
 * names the block that a call without one means.
 */
const inNodeWords = ({ params }: Method, given: readonly unknown[]) => {
  const [first] = given;
  if (params[0]?.kind !== filter) return withMissing(params, given);
  if (!isRecord(first) || first.blockhash === undefined) return given;
  const { blockhash, ...rest } = first;
  return [{ ...rest, blockHash: rest.blockHash ?? blockhash }];
};

/** Returns the method that a call names, or an error when it is not available or its parameters are wrong. */
const methodOf = ({ method: name, params }: Call, { node, own, faultOf }: Place): Method | RpcAnswer => {
  const method =
    findMethod(name, node.isDevelopment) ?? (node.extraMethods?.has(name) ? configuredMethod(name) : undefined);
  if (!method || (method.over === 'socket' && !own))
    return failed(rpcCodes.noMethod, explainMethod(name, node.isDevelopment));
  const refusal = faultOf?.(method.name) ?? null;
  if (refusal !== null) return failed(rpcCodes.noMethod, refusal);
  const fault = paramsFault(method.params, params);
  return fault ? failed(rpcCodes.invalidParams, fault) : method;
};

/** Asks the nodes. */
const ask = (
  method: Method,
  { params }: Call,
  { node, isFresh }: Place,
  cancellation: Cancellation,
): MaybePromise<RpcAnswer> => {
  const given = { method: method.nodeName, params: inNodeWords(method, params) };
  const call = isFresh ? { ...given, isFresh } : given;
  if (method.params[0]?.kind !== filter) return node.answer(call, cancellation);
  return mapMaybe(rangeFault(node, params[0]), (fault) =>
    fault ? failed(rpcCodes.invalidParams, `invalid argument 0 (filter): ${fault}`) : node.answer(call, cancellation),
  );
};

const answerCall = (call: Call, place: Place, cancellation: Cancellation): MaybePromise<RpcAnswer> => {
  const method = methodOf(call, place);
  if (!('name' in method)) return method;
  const { own, log } = place;
  const fault = (error: unknown) =>
    cancellation.isCancelled() ? failed(rpcCodes.internal, 'the client left') : explain(error, log);
  try {
    const answer = method.over === 'socket' && own ? own(method, call) : ask(method, call, place, cancellation);
    return answer instanceof Promise ? answer.catch(fault) : answer;
  } catch (error) {
    return fault(error);
  }
};

const none: readonly Reply[] = [];

/** Answers one call; the reply is read once all calls of its message are answered. A notification gets none. */
const begin = (call: Message['calls'][number], place: Place): MaybePromise<() => readonly Reply[]> => {
  const { id } = call;
  if ('code' in call) return () => [{ id: call.id, answer: failed(call.code, call.message) }];
  const { cancellation, settle, answer } = place.load.join();
  return mapMaybe(answerCall(call, place, cancellation), (given) => {
    settle(given);
    return id === null ? () => none : () => [{ id, answer: answer() }];
  });
};

/** Answers all calls of a message, in their order; a failed call does not affect the others. */
export const answerMessage = ({ calls }: Message, place: Place): MaybePromise<readonly Reply[]> => {
  const [only] = calls;
  if (calls.length === 1 && only) return mapMaybe(begin(only, place), (reply) => reply());
  return Promise.all(calls.map(async (call) => begin(call, place))).then((all) => all.flatMap((reply) => reply()));
};

const headOf = ({ id, answer }: Reply) =>
  'result' in answer ? `{"jsonrpc":"2.0","id":${id},"result":` : `{"jsonrpc":"2.0","id":${id},"error":`;
const bodyOf = ({ answer }: Reply) => ('result' in answer ? answer.result : answer.error);

/** Size up to which writing a string is faster than writing bytes. */
const maxText = 16_384;
const ascii = /^[\x20-\x7e]*$/;
const close = '}';

const bufferOf = (bytes: Uint8Array) =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
const textOf = (bytes: Uint8Array) => bufferOf(bytes).toString('latin1');

/** Encodes one reply without copying large results of nodes; strings are Latin-1, one character per byte. */
const encodeOne = (reply: Reply): readonly (string | Uint8Array)[] => {
  const head = headOf(reply);
  const start = ascii.test(reply.id) ? head : textOf(Buffer.from(head));
  if ('pieces' in reply.answer && reply.answer.pieces) return [start, ...reply.answer.pieces, close];
  const body = bodyOf(reply);
  return body.length > maxText ? [start, body, close] : [`${start}${textOf(body)}${close}`];
};

/** Encodes the replies to a batch likewise; strings of neighbours are joined. */
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

/** Encodes replies in pieces. */
export const encodeAll = (replies: readonly Reply[], isBatch: boolean): readonly (string | Uint8Array)[] => {
  const [only] = replies;
  return only && !isBatch ? encodeOne(only) : encodeBatch(replies);
};

/** Encodes replies as one buffer. */
export const encode = (replies: readonly Reply[], isBatch: boolean): Buffer =>
  Buffer.concat(
    encodeAll(replies, isBatch).map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
  );
