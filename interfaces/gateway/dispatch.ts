import type { Waiter } from '../../application/async/cancellation.js';
import { type MaybePromise, mapMaybe } from '../../application/async/maybe-promise.js';
import { rangeFault } from '../../application/gateway/log-range.js';
import { findMethod, type Method } from '../../application/gateway/methods.js';
import { filter, paramsFault } from '../../application/gateway/params.js';
import { type Node, NodeTimeout, type RpcAnswer } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { Failure } from '../../domain/failure.js';
import { isRecord } from '../../domain/rpc-value.js';
import { type Call, errorJson, type Message, rpcCodes } from './json-rpc.js';

export type Reply = { readonly id: string; readonly answer: RpcAnswer };

/** What calls are answered from. */
export type Place = {
  readonly node: Node;
  readonly log: Log;
  readonly waiter: Waiter;
  /** What only a connection has: filters and subscriptions. */
  readonly own?: (method: Method, call: Call) => Promise<RpcAnswer>;
};

export const failed = (code: number, message: string): RpcAnswer => ({ error: Buffer.from(errorJson(code, message)) });

const explain = (error: unknown, log: Log): RpcAnswer => {
  if (error instanceof NodeTimeout) return failed(rpcCodes.nodeTimeout, error.message);
  if (error instanceof Failure)
    return failed(error.code === 'UNAVAILABLE' ? rpcCodes.noNode : rpcCodes.internal, error.message);
  log.error({ err: error }, 'a gateway call failed');
  return failed(rpcCodes.internal, 'an unexpected error');
};

/** Filters may say `blockhash` (docs/specification.md#filter) where nodes read `blockHash`. */
const inNodeWords = ({ params }: Method, given: readonly unknown[]) => {
  const [first] = given;
  if (params[0]?.kind !== filter || !isRecord(first) || first.blockhash === undefined) return given;
  const { blockhash, ...rest } = first;
  return [{ ...rest, blockHash: rest.blockHash ?? blockhash }];
};

/** The method that a call names; else why it is none. */
const methodOf = ({ method: name, params }: Call, { node, own }: Place): Method | RpcAnswer => {
  const method = findMethod(name, node.isDevelopment);
  if (!method || (method.over === 'socket' && !own))
    return failed(rpcCodes.noMethod, `the method ${name} does not exist/is not available`);
  const fault = paramsFault(method.params, params);
  return fault ? failed(rpcCodes.invalidParams, fault) : method;
};

/** From the nodes. */
const ask = (method: Method, { params }: Call, { node, waiter }: Place): MaybePromise<RpcAnswer> => {
  const call = { method: method.nodeName, params: inNodeWords(method, params) };
  if (method.params[0]?.kind !== filter) return node.answer(call, waiter);
  return mapMaybe(rangeFault(node, params[0]), (fault) =>
    fault ? failed(rpcCodes.invalidParams, `invalid argument 0 (filter): ${fault}`) : node.answer(call, waiter),
  );
};

const answerCall = (call: Call, place: Place): MaybePromise<RpcAnswer> => {
  const method = methodOf(call, place);
  if (!('name' in method)) return method;
  const { own, waiter, log } = place;
  const fault = (error: unknown) =>
    waiter.hasLeft() ? failed(rpcCodes.internal, 'the client left') : explain(error, log);
  try {
    const answer = method.over === 'socket' && own ? own(method, call) : ask(method, call, place);
    return answer instanceof Promise ? answer.catch(fault) : answer;
  } catch (error) {
    return fault(error);
  }
};

const none: readonly Reply[] = [];

/** None for a notification. */
const repliesTo = (call: Message['calls'][number], place: Place): MaybePromise<readonly Reply[]> => {
  const { id } = call;
  if ('code' in call) return [{ id: call.id, answer: failed(call.code, call.message) }];
  return mapMaybe(answerCall(call, place), (answer) => (id === null ? none : [{ id, answer }]));
};

/** In the order of the calls; one that fails fails only itself. */
export const answerMessage = ({ calls }: Message, place: Place): MaybePromise<readonly Reply[]> => {
  const [only] = calls;
  if (calls.length === 1 && only) return repliesTo(only, place);
  return Promise.all(calls.map(async (call) => repliesTo(call, place))).then((all) => all.flat());
};

const headOf = ({ id, answer }: Reply) =>
  'result' in answer ? `{"jsonrpc":"2.0","id":${id},"result":` : `{"jsonrpc":"2.0","id":${id},"error":`;
const bodyOf = ({ answer }: Reply) => ('result' in answer ? answer.result : answer.error);

/** Up to this size a text is written faster than bytes are. */
const mostText = 16_384;
const ascii = /^[\x20-\x7e]*$/;
const close = '}';

const bufferOf = (bytes: Uint8Array) =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
const textOf = (bytes: Uint8Array) => bufferOf(bytes).toString('latin1');

/** The nodes' own bytes, not copied; a text has one character a byte. */
export const encodeOne = (reply: Reply): readonly (string | Uint8Array)[] => {
  const head = headOf(reply);
  const start = ascii.test(reply.id) ? head : textOf(Buffer.from(head));
  if ('pieces' in reply.answer && reply.answer.pieces) return [start, ...reply.answer.pieces, close];
  const body = bodyOf(reply);
  return body.length > mostText ? [start, body, close] : [`${start}${textOf(body)}${close}`];
};

/** All of them in one piece. */
export const encode = (replies: readonly Reply[], isBatch: boolean): Buffer => {
  const pieces: Uint8Array[] = [];
  for (const [i, reply] of replies.entries()) {
    const before = isBatch && i === 0 ? '[' : '';
    pieces.push(Buffer.from(`${before}${i > 0 ? ',' : ''}${headOf(reply)}`), bodyOf(reply), Buffer.from(close));
  }
  if (isBatch && replies.length > 0) pieces.push(Buffer.from(']'));
  return Buffer.concat(pieces);
};
