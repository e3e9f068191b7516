import assert from 'node:assert/strict';
import { createCancellation } from '../../../application/async/cancellation.js';
import { createBackpressure } from '../../../application/gateway/backpressure.js';
import type { Node } from '../../../application/ports/node.js';
import { answerMessage, encode } from '../../../interfaces/gateway/dispatch.js';
import { readMessage } from '../../../interfaces/gateway/json-rpc.js';
import { createLoad } from '../../../interfaces/gateway/load.js';
import { silent } from '../silent.js';

type Asked = { readonly method: string; readonly params: unknown };
export type RpcAnswer = { readonly result: unknown } | { readonly error: object };

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

/** Makes a node that answers each call with `answer`, by default with the method and parameters of the call. */
export const fakeNode = (
  answer: (asked: Asked) => RpcAnswer = ({ method, params }) => ({ result: [method, params] }),
) => {
  const asked: Asked[] = [];
  const node = (isDevelopment: boolean): Node => ({
    isDevelopment,
    answer: async (call) => {
      asked.push(call);
      const given = answer(call);
      return 'result' in given ? { result: bytes(given.result) } : { error: bytes(given.error) };
    },
    ask: () => assert.fail(),
    head: () => assert.fail(),
    watchHeads: () => assert.fail(),
    watchPending: () => assert.fail(),
    metrics: () => assert.fail(),
    closed: new AbortController().signal,
    close: async () => undefined,
  });
  return { asked, real: node(false), development: node(true) };
};
export const rejecting = (error: Error): Node => ({ ...fakeNode().real, answer: () => Promise.reject(error) });

export const answerText = async (text: string, node: Node) => {
  const message = readMessage(text);
  if (!('calls' in message)) return message;
  const terms = { client: createCancellation(), pressure: createBackpressure() };
  const load = createLoad({ ...terms, calls: message.calls.length });
  const replies = await answerMessage(message, { node, log: silent, load });
  return encode(replies, message.isBatch).toString();
};
export const answerCalls = async (requests: readonly unknown[], node: Node) => {
  const answer = await answerText(JSON.stringify(requests), node);
  return answer === '' ? [] : JSON.parse(String(answer));
};

export const call = (method: string, id: unknown = 1, params: unknown = []) => ({ jsonrpc: '2.0', id, method, params });
export const reply = (id: unknown, answer: RpcAnswer) => ({ jsonrpc: '2.0', id, ...answer });
export const errorReply = (id: unknown, code: number, message: string) => reply(id, { error: { code, message } });
export const methodNotFoundReply = (id: unknown, method: string) =>
  errorReply(id, -32_601, `the method ${method} does not exist/is not available`);

export const account = `0x${'a'.repeat(40)}`;
export const aHash = `0x${'b'.repeat(64)}`;
/**
 * Valid parameters of each method that requires parameters, keyed by the method's name without its prefix.
 */
const valid: Readonly<Record<string, readonly unknown[]>> = {
  getBalance: [account, 'latest'],
  getStorageAt: [account, '0x0', 'latest'],
  getTransactionCount: [account, '0x10'],
  getBlockTransactionCountByHash: [aHash],
  getBlockTransactionCountByNumber: ['earliest'],
  getUncleCountByBlockHash: [aHash],
  getUncleCountByBlockNumber: ['0x1'],
  getCode: [account, 'pending'],
  sendRawTransaction: ['0xab'],
  call: [{ to: account, data: '0x' }],
  estimateGas: [{ to: account, value: '0x0' }, 'latest'],
  getBlockByHash: [aHash, true],
  getBlockByNumber: ['latest', false],
  getTransactionByHash: [aHash],
  getTransactionByBlockHashAndIndex: [aHash, '0x0'],
  getTransactionByBlockNumberAndIndex: ['0x0', '0x0'],
  getTransactionReceipt: [aHash],
  getUncleByBlockHashAndIndex: [aHash, '0x0'],
  getUncleByBlockNumberAndIndex: ['0x0', '0x0'],
  getLogs: [{}],
  feeHistory: ['0x1', 'latest'],
  getBlockReceipts: ['latest'],
  newFilter: [{}],
  getFilterChanges: ['0x1'],
  uninstallFilter: ['0x1'],
  subscribe: ['newHeads'],
  unsubscribe: ['0x1'],
};
export const paramsFor = (method: string) => {
  const name = method.replace(/^(?:evm|eth)_/, '');
  return (Object.hasOwn(valid, name) && valid[name]) || [];
};
