import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answers = Record<string, (params: readonly unknown[]) => unknown>;
type Request = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

/** What a node refuses with. */
export const refusal = (code: number, message: string): never => {
  throw Object.assign(new Error(message), { code });
};

export const noSuchMethod = () => refusal(-32601, 'the method does not exist/is not available');

/** A node that answers what it is told to, method by method, and keeps what it was asked. */
export const startAnsweringNode = async (answers: Answers) => {
  const asked: { method: string; params: readonly unknown[] }[] = [];
  const batches: number[] = [];
  const options = { takesBatches: true };
  let gate: Promise<void> = Promise.resolve();
  const answer = async ({ id, method, params }: Request) => {
    try {
      return { jsonrpc: '2.0', id, result: await (answers[method] ?? noSuchMethod)(params) };
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
    const isBatch = Array.isArray(request);
    if (isBatch) batches.push(request.length);
    for (const { method, params } of isBatch ? request : [request]) asked.push({ method, params });
    await gate;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await answerAll(request)));
  };
  const server = createServer((incoming, response) => void respond(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** May be changed at any time. */
    answers,
    asked,
    /** How many calls were in each batch. */
    batches,
    options,
    /** Nothing is answered until the result is called. */
    hold: (): (() => void) => {
      const opened = new AbortController();
      gate = new Promise<void>((resolve) => opened.signal.addEventListener('abort', () => resolve()));
      return () => opened.abort();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export type AnsweringNode = Awaited<ReturnType<typeof startAnsweringNode>>;
