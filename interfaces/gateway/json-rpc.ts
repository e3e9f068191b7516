import type { Node, RpcAnswer } from '../../application/ports/node.js';
import { Failure } from '../../domain/failure.js';
import { nodeMethod } from './methods.js';

type Id = string | number | null;
type Reply = { readonly jsonrpc: '2.0'; readonly id: Id } & RpcAnswer;
type Call = { readonly id: Id; readonly isNotification: boolean; readonly method: string; readonly params: unknown };

export const rpcCodes = {
  notJson: -32_700,
  invalidRequest: -32_600,
  noMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  limitExceeded: -32_005,
  badKey: -32_016,
  noNode: -32_002,
  nodeTimeout: -32_015,
} as const;

export const rpcError = (code: number, message: string, id: Id = null): Reply => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

const isId = (id: unknown): id is Id => id === null || typeof id === 'string' || typeof id === 'number';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readCall = (request: unknown): Call | Reply => {
  if (!isObject(request)) return rpcError(rpcCodes.invalidRequest, 'a request is an object');
  const { jsonrpc, method, params = [], id } = request;
  const isNotification = !Object.hasOwn(request, 'id');
  if (!isNotification && !isId(id)) return rpcError(rpcCodes.invalidRequest, 'an id is a string, a number or null');
  const known = isNotification ? null : (id as Id);
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    return rpcError(rpcCodes.invalidRequest, 'jsonrpc must be "2.0" and method a string', known);
  if (typeof params !== 'object' || params === null)
    return rpcError(rpcCodes.invalidParams, 'params must be an array', known);
  return { id: known, isNotification, method, params };
};

const failed = (error: unknown, id: Id) => {
  if (!(error instanceof Failure)) return rpcError(rpcCodes.internal, 'an unexpected error', id);
  return rpcError(error.code === 'UNAVAILABLE' ? rpcCodes.noNode : rpcCodes.internal, error.message, id);
};

/** Answers calls in the order asked; one that fails fails only itself. Notifications get none. */
export const answerCalls = async (requests: readonly unknown[], node: Node): Promise<readonly Reply[]> => {
  const read = requests.map(readCall);
  const calls = read.map((one) => ('method' in one ? nodeMethod(one.method, node.isDevelopment) : null));
  const asked = read.flatMap((one, i) => {
    const method = calls[i];
    return 'method' in one && typeof method === 'string' ? [{ i, method, params: one.params }] : [];
  });
  const outcome = asked.length === 0 ? [] : await node.call(asked).catch((error: unknown) => error as Error);
  const answers = new Map(
    asked.map(({ i }, n) => [i, outcome instanceof Error ? outcome : (outcome as readonly RpcAnswer[])[n]]),
  );
  return read.flatMap((one, i): Reply[] => {
    if (!('method' in one)) return [one];
    if (one.isNotification) return [];
    const answer = answers.get(i);
    if (!answer) return [rpcError(rpcCodes.noMethod, `the method ${one.method} does not exist here`, one.id)];
    return [answer instanceof Error ? failed(answer, one.id) : { jsonrpc: '2.0', id: one.id, ...answer }];
  });
};
