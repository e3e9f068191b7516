import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signedText } from '../../application/access/authenticate.js';
import { createAjv } from '../../interfaces/http/validation.js';
import { endpoints } from '../../interfaces/operations/index.js';
import { importPeer } from '../measure/peers.js';

// A minimal server: it parses JSON, checks the signature and the schema, and stores nothing.
const [, , kind = 'bare', secret = ''] = process.argv;

const ajv = createAjv();
const validators = new Map(endpoints.map(({ path, request }) => [path, ajv.compile(request)]));
const answer = JSON.stringify({ wallet_id: `wal_${'0'.repeat(32)}` });

const isSigned = (headers: IncomingHttpHeaders, path: string, body: string) => {
  const digest = createHash('sha256').update(body).digest('hex');
  const text = signedText(String(headers['x-api-nonce']), 'POST', path, digest);
  const expected = createHmac('sha256', secret).update(text).digest();
  return timingSafeEqual(expected, Buffer.from(String(headers['x-api-signature']), 'hex'));
};
const statusFor = (headers: IncomingHttpHeaders, path: string, body: string) => {
  if (!isSigned(headers, path, body)) return 401;
  return validators.get(path)?.(JSON.parse(body)) ? 200 : 400;
};

const bare = async () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const status = statusFor(request.headers, request.url ?? '', Buffer.concat(chunks).toString());
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

type Reply = { code(status: number): Reply; header(name: string, value: string): Reply; send(body: string): Reply };
type Fastify = {
  addContentTypeParser(type: string, options: object, parse: (request: unknown, body: string) => Promise<string>): void;
  post(path: string, handle: (request: { headers: IncomingHttpHeaders; body: string }, reply: Reply) => Reply): void;
  listen(at: object): Promise<string>;
};
const fastify = async () => {
  const { fastify: create } = (await importPeer('fastify')) as { fastify: () => Fastify };
  const server = create();
  // The body is kept as text, because the signature covers its bytes.
  server.addContentTypeParser('application/json', { parseAs: 'string' }, async (_, body) => body);
  for (const { path } of endpoints)
    server.post(path, ({ headers, body }, reply) =>
      reply
        .code(statusFor(headers, path, body))
        .header('content-type', 'application/json')
        .send(answer),
    );
  return server.listen({ port: 0, host: '127.0.0.1' });
};

process.on('disconnect', () => process.exit());
process.send?.(await (kind === 'fastify' ? fastify() : bare()));
