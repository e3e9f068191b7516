import { RpcError, rpcCode, toRpcError } from '../rpc-error.js';

export type Request = (method: string, params: readonly unknown[]) => Promise<unknown>;

type Id = string | number | null;
type Reply = { readonly jsonrpc: '2.0'; readonly id: Id; readonly result?: unknown; readonly error?: object };

const maxBatchSize = 1000;

const failed = (id: Id, error: unknown): Reply => {
  const { code, message, data } = toRpcError(error);
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
};
const bad = (id: Id, code: number, message: string) => failed(id, new RpcError(code, message));

const idOf = (call: { readonly id?: unknown }): Id =>
  typeof call.id === 'string' || typeof call.id === 'number' ? call.id : null;

/** Handles one call and returns the reply; null for a notification. */
const answerOne = async (call: unknown, request: Request): Promise<Reply | null> => {
  if (typeof call !== 'object' || call === null || Array.isArray(call))
    return bad(null, rpcCode.request, 'invalid request');
  const { jsonrpc, method, params } = call as Record<string, unknown>;
  const id = idOf(call);
  if (jsonrpc !== '2.0' || typeof method !== 'string') return bad(id, rpcCode.request, 'invalid request');
  if (params != null && !Array.isArray(params)) return bad(id, rpcCode.params, 'non-array args');
  const reply = await request(method, params ?? []).then(
    (result): Reply => ({ jsonrpc: '2.0', id, result: result ?? null }),
    (error: unknown) => failed(id, error),
  );
  return 'id' in call ? reply : null;
};

const answerBatch = async (calls: readonly unknown[], request: Request) => {
  if (calls.length === 0) return bad(null, rpcCode.request, 'empty batch');
  if (calls.length > maxBatchSize) return bad(null, rpcCode.request, 'batch too large');
  const replies = await Promise.all(calls.map((call) => answerOne(call, request)));
  const wanted = replies.filter((reply) => reply !== null);
  return wanted.length > 0 ? wanted : null;
};

/**
 * Handles the JSON text of a call or a batch and returns the JSON text of the reply; null if all calls are
 * notifications.
 */
export const answer = async (text: string, request: Request): Promise<string | null> => {
  let calls: unknown;
  try {
    calls = JSON.parse(text);
  } catch {
    return JSON.stringify(bad(null, rpcCode.parse, 'parse error'));
  }
  const reply = await (Array.isArray(calls) ? answerBatch(calls, request) : answerOne(calls, request));
  return reply && JSON.stringify(reply);
};
