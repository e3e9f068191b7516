import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IndexError, type indexAnswers } from './answers.js';

type Answers = ReturnType<typeof indexAnswers>;

const host = '127.0.0.1';
const prefix = '/api/v3/';
const maxBodyBytes = 2 ** 20;

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new IndexError(413, `the body is larger than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    return size > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
  } catch {
    throw new IndexError(422, 'the body is not JSON');
  }
};

/** Serves toncenter's API v3 on a free port of the loopback interface. */
export const startIndex = async (answers: Answers, inTurn: <T>(work: () => Promise<T>) => Promise<T>) => {
  const answer = async (request: IncomingMessage) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', `http://${host}`);
    const method = pathname.startsWith(prefix) ? pathname.slice(prefix.length) : '';
    const own = Object.hasOwn(answers, method) ? answers[method] : undefined;
    if (!own) throw new IndexError(404, '');
    const body = await readBody(request);
    return inTurn(async () => own({ query, body }));
  };
  const server = createServer((request, response) => {
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    answer(request).then(
      (body) => send(200, body),
      (error: unknown) => {
        const status = error instanceof IndexError ? error.status : 500;
        send(status, { error: (error as Error).message, code: status });
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `ton+http://${host}:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
