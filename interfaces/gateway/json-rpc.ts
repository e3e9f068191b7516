import type { RpcAnswer } from '../../application/ports/node.js';
import { isRecord } from '../../domain/rpc-value.js';
import { maxContainers, maxDepth, maxNumberDigits, scan } from './scan.js';

export const rpcCodes = {
  notJson: -32_700,
  invalidRequest: -32_600,
  noMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  refused: -32_000,
  limitExceeded: -32_005,
  badKey: -32_016,
  noNode: -32_002,
  nodeTimeout: -32_015,
} as const;

export const maxCalls = 100;
export const maxNameLength = 2048;

/** `id` is the JSON text of the id; null for a notification, which gets no reply. */
export type Call = { readonly id: string | null; readonly method: string; readonly params: readonly unknown[] };
/** Element of a message that is not a valid call. */
type Refused = { readonly id: string; readonly code: number; readonly message: string };
export type Message = { readonly isBatch: boolean; readonly calls: readonly (Call | Refused)[] };
/** Message that is rejected as a whole. */
export type Unreadable = { readonly status: number; readonly code: number; readonly message: string };

const refuse = (code: number, message: string, id = 'null'): Refused => ({ id, code, message });

const isId = (id: unknown) => id === null || typeof id === 'string' || typeof id === 'number';

const paramsIn = (params: unknown): readonly unknown[] | null => {
  if (params === undefined || params === null) return [];
  return Array.isArray(params) ? params : null;
};

const readCall = (request: unknown, written: string | undefined): Call | Refused => {
  if (!isRecord(request)) return refuse(rpcCodes.invalidRequest, 'a request must be an object');
  const { jsonrpc, method, params, id } = request;
  const isNotification = !Object.hasOwn(request, 'id');
  if (!isNotification && !isId(id)) return refuse(rpcCodes.invalidRequest, 'id must be a string, a number or null');
  const given = isNotification ? undefined : (written ?? JSON.stringify(id));
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    return refuse(rpcCodes.invalidRequest, 'jsonrpc must be "2.0" and method a string', given);
  if (method.length > maxNameLength)
    return refuse(
      rpcCodes.invalidRequest,
      `method must have at most ${maxNameLength} characters, got ${method.length}`,
      given,
    );
  const list = paramsIn(params);
  if (!list) return isNotification ? { id: null, method: '', params: [] } : nonArray(given);
  return { id: given ?? null, method, params: list };
};
const nonArray = (id: string | undefined) =>
  refuse(rpcCodes.invalidParams, 'non-array args: params must be an array', id);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Parses the calls of a message, or returns the error if the message is rejected as a whole. */
export const readMessage = (text: string): Message | Unreadable => {
  const { isBatch, ids, isWithinLimits: isModest } = scan(text);
  if (!isModest)
    return {
      status: 200,
      code: rpcCodes.invalidRequest,
      message: `request too complex: at most ${maxDepth} levels of nesting, ${maxContainers} objects and lists, and ${maxNumberDigits} characters per number`,
    };
  const parsed = parse(text);
  if (parsed === undefined)
    return { status: 400, code: rpcCodes.notJson, message: 'parse error: the body is not JSON' };
  if (!Array.isArray(parsed)) return { isBatch, calls: [readCall(parsed, ids[0])] };
  if (parsed.length === 0) return { status: 400, code: rpcCodes.invalidRequest, message: 'empty batch' };
  if (parsed.length > maxCalls)
    return {
      status: 400,
      code: rpcCodes.invalidRequest,
      message: `batch too large: at most ${maxCalls} calls, got ${parsed.length}`,
    };
  return { isBatch, calls: parsed.map((request, i) => readCall(request, ids[i])) };
};

const errorJson = (code: number, message: string): string => JSON.stringify({ code, message });

/** Returns the error answer to a failed call. */
export const failed = (code: number, message: string): RpcAnswer => ({ error: Buffer.from(errorJson(code, message)) });

export const errorReply = (code: number, message: string, id = 'null'): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${errorJson(code, message)}}`;
