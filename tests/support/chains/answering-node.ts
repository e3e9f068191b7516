import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answers = Record<string, (params: readonly unknown[]) => unknown>;
type Asked = { readonly method: string; readonly params: readonly unknown[] };
type Request = Asked & { readonly id: number };

/** Throws the JSON-RPC error with which a node rejects a call. */
export const throwRpcError = (code: number, message: string): never => {
  throw Object.assign(new Error(message), { code });
};

export const methodNotFound = () => throwRpcError(-32601, 'the method does not exist/is not available');

/** Starts a node that answers each method from a table and records the calls. */
export const startAnsweringNode = async (answers: Answers) => {
  const asked: Asked[] = [];
  const batches: number[] = [];
  const options = { takesBatches: true };
  let gate: { readonly isHeld: (asked: Asked) => boolean; readonly opened: Promise<void> } | null = null;
  const answer = async ({ id, method, params }: Request) => {
    try {
      return { jsonrpc: '2.0', id, result: await (answers[method] ?? methodNotFound)(params) };
    } catch (error) {
      const { code, message } = error as { code: number; message: string };
      return { jsonrpc: '2.0', id, error: { code, message } };
    }
  };
  const answerAll = async (request: Request | Request[]) => {
    const isBatch = Array.isArray(request);
    if (isBatch && !options.takesBatches)
      return { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'one at a time' } };
    return isBatch ? (await Promise.all(request.map(answer))).reverse() : await answer(request);
  };
  const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = JSON.parse(Buffer.concat(chunks).toString()) as Request | Request[];
    const calls = Array.isArray(request) ? request : [request];
    if (calls === request) batches.push(calls.length);
    for (const { method, params } of calls) asked.push({ method, params });
    if (gate && calls.some(gate.isHeld)) await gate.opened;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await answerAll(request)));
  };
  const server = createServer((incoming, response) => void respond(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Answers, keyed by method; a test may change them at any time. */
    answers,
    asked,
    /** Number of calls in each batch. */
    batches,
    options,
    /**
     * Holds back the answers to the calls that `isHeld` selects, by default to all calls, until the returned function
     * is called.
     */
    hold: (isHeld: (asked: Asked) => boolean = () => true): (() => void) => {
      const door = new AbortController();
      gate = { isHeld, opened: new Promise((resolve) => door.signal.addEventListener('abort', () => resolve())) };
      return () => door.abort();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export type AnsweringNode = Awaited<ReturnType<typeof startAnsweringNode>>;
