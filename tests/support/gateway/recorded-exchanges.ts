import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

type Request = { readonly id: number; readonly method: string; readonly params?: readonly unknown[] };
export type Exchange = {
  /** Path of the file with the exchange, relative to the folder that `exchangesIn` reads. */
  readonly name: string;
  readonly request: Request;
  readonly response: { readonly result?: unknown; readonly error?: { readonly code: number } };
};

/** Reads exchanges in the form of the public execution API suite: `>>` before a request, `<<` before its response. */
export const exchangesIn = (folder: string): readonly Exchange[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.io'))
    .toSorted()
    .flatMap((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n');
      const after = (mark: string) =>
        lines.filter((line) => line.startsWith(mark)).map((line): unknown => JSON.parse(line.slice(mark.length)));
      const responses = after('<<');
      return after('>>').map((request, place) => ({ name, request, response: responses[place] }) as Exchange);
    });

/** Drops a last parameter `latest`, which the gateway adds to a call that names no block. */
const shortened = (params: readonly unknown[]) => (params.at(-1) === 'latest' ? params.slice(0, -1) : params);

const serve = async (respond: (request: Request, response: ServerResponse) => void) => {
  const read = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    respond(JSON.parse(Buffer.concat(chunks).toString()) as Request, response);
  };
  const server = createServer((incoming, response) => void read(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Starts a node that gives the recorded responses. */
export const startRecordedNode = (exchanges: readonly Exchange[]) =>
  serve(({ id, method, params = [] }, response) => {
    const found = [params, shortened(params)]
      .map((given) =>
        exchanges.find(({ request }) => request.method === method && isDeepStrictEqual(request.params ?? [], given)),
      )
      .find((one) => one !== undefined);
    const error = { code: -32_000, message: 'header not found' };
    response.end(JSON.stringify({ jsonrpc: '2.0', ...(found?.response ?? { error }), id }));
  });

/** Invalid answers that a node gives to every call. */
export const badAnswers = {
  'answers 500': (_, response) => void response.writeHead(500).end(),
  'answers no JSON': (_, response) => void response.end('<html>'),
  'answers another question': ({ id }, response) =>
    void response.end(JSON.stringify({ jsonrpc: '2.0', id: id + 1, result: '0x0' })),
  'lost its key': ({ id }, response) =>
    void response.writeHead(401).end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'no' } })),
} satisfies Record<string, (request: Request, response: ServerResponse) => void>;

export const startBadNode = (kind: keyof typeof badAnswers) => serve(badAnswers[kind]);
