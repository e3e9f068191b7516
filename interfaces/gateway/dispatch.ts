import { findMethod, type Method, nodeName } from '../../application/gateway/methods.js';
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
  readonly signal: AbortSignal;
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

/** SPEC writes `blockhash` where nodes read `blockHash`. */
const inNodeWords = ({ params }: Method, given: readonly unknown[]) => {
  const [first] = given;
  if (params[0]?.kind !== filter || !isRecord(first) || first.blockhash === undefined) return given;
  const { blockhash, ...rest } = first;
  return [{ ...rest, blockHash: rest.blockHash ?? blockhash }];
};

const answerCall = async (call: Call, { node, signal, log, own }: Place): Promise<RpcAnswer> => {
  const method = findMethod(call.method, node.isDevelopment);
  if (!method || (method.over === 'socket' && !own))
    return failed(rpcCodes.noMethod, `the method ${call.method} does not exist/is not available`);
  const fault = paramsFault(method.params, call.params);
  if (fault) return failed(rpcCodes.invalidParams, fault);
  try {
    if (method.over === 'socket' && own) return await own(method, call);
    return await node.answer({ method: nodeName(method), params: inNodeWords(method, call.params) }, signal);
  } catch (error) {
    return signal.aborted ? failed(rpcCodes.internal, 'the client left') : explain(error, log);
  }
};

/** In the order of the calls; one that fails fails only itself, and a notification gets no reply. */
export const answerMessage = async ({ calls }: Message, place: Place): Promise<readonly Reply[]> => {
  const replies = calls.map(async (call): Promise<Reply | null> => {
    if ('code' in call) return { id: call.id, answer: failed(call.code, call.message) };
    const answer = await answerCall(call, place);
    return call.id === null ? null : { id: call.id, answer };
  });
  return (await Promise.all(replies)).filter((reply) => reply !== null);
};

const piecesOf = ({ id, answer }: Reply): [string, Uint8Array] =>
  'result' in answer
    ? [`{"jsonrpc":"2.0","id":${id},"result":`, answer.result]
    : [`{"jsonrpc":"2.0","id":${id},"error":`, answer.error];

/** The nodes' own bytes, put together. */
export const encode = (replies: readonly Reply[], isBatch: boolean): Buffer => {
  const pieces: Uint8Array[] = [];
  for (const [i, reply] of replies.entries()) {
    const [head, body] = piecesOf(reply);
    const before = isBatch && i === 0 ? '[' : '';
    pieces.push(Buffer.from(`${before}${i > 0 ? ',' : ''}${head}`), body, close);
  }
  if (isBatch && replies.length > 0) pieces.push(closeList);
  return Buffer.concat(pieces);
};
const close = Buffer.from('}');
const closeList = Buffer.from(']');
