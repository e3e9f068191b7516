import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Properties of a request that must be equal for the SDKs of all languages. */
export type Sent = {
  readonly operation: string;
  readonly fault: Fault;
  /** Idempotency key: one of the test's `keys`, `own <n>` for the n-th key that the client made, or null for none. */
  readonly key: string | null;
  readonly hasMinPosition: boolean;
};

export type Fault = keyof typeof faults;
type Forwarded = { readonly status: number; readonly headers: Headers; readonly body: string };
type Answer = (response: ServerResponse, forward: () => Promise<Forwarded>) => Promise<void> | void;

const problem = (status: number, code: string, retryAfter?: number): Answer => {
  const body = {
    type: '/problems/test',
    title: code,
    status,
    detail: 'A fault of the test.',
    code,
    request_id: 'test',
  };
  return (response) => {
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ ...body, retryable: true, errors: [] }));
  };
};

const pass =
  (headers: Record<string, string> = {}): Answer =>
  async (response, forward) => {
    const { status, headers: received, body } = await forward();
    for (const name of ['content-type', 'x-position', 'retry-after']) {
      const value = received.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(status, headers).end(body);
  };

/**
 * Faults by name, each with the function by which the proxy answers a request. Some of these functions forward the
 * request to the service.
 */
const faults = {
  none: pass(),
  pending: pass({ 'x-consistency': 'pending' }),
  /** Forwards the request, on which the service acts, but drops the answer. */
  lost: async (response: ServerResponse, forward: () => Promise<Forwarded>) => {
    await forward();
    response.destroy();
  },
  cut: (response: ServerResponse) => void response.destroy(),
  /** The connection breaks after half of the answer's body. */
  half: async (response: ServerResponse, forward: () => Promise<Forwarded>) => {
    const { body } = await forward();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  },
  proxyPage: (response: ServerResponse) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>'),
  conflict: problem(409, 'CONFLICT'),
  limited: problem(429, 'RATE_LIMITED', 0),
  limitedLong: problem(429, 'RATE_LIMITED', 3600),
  unavailable: problem(503, 'UNAVAILABLE', 0),
} satisfies Record<string, Answer>;

const read = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const forwardTo = (target: string, request: IncomingMessage, body: Uint8Array<ArrayBuffer>) => async () => {
  const given = Object.entries(request.headers).filter(([name]) => /^(x-|idempotency-key|content-type)/.test(name));
  const headers = Object.fromEntries(given) as Record<string, string>;
  const response = await fetch(new URL(request.url ?? '', target), { method: 'POST', headers, body });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

/**
 * Starts a proxy in front of a service. `script` names the faults of each operation in the order of its requests; later
 * requests pass. `keys` are the idempotency keys that the test chose.
 */
export const startFaultyProxy = async (
  target: string,
  script: Readonly<Record<string, readonly Fault[]>>,
  keys: ReadonlySet<string>,
) => {
  const sent: Sent[] = [];
  const nonces: string[] = [];
  const own: string[] = [];
  const label = (key: string | undefined) => {
    if (key === undefined || keys.has(key)) return key ?? null;
    if (!own.includes(key)) own.push(key);
    return `own ${own.indexOf(key)}`;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const operation = request.url?.split('/').at(-1) ?? '';
    const fault = script[operation]?.[sent.filter((one) => one.operation === operation).length] ?? 'none';
    const header = (name: string) => request.headers[name] as string | undefined;
    nonces.push(header('x-api-nonce') ?? '');
    sent.push({
      operation,
      fault,
      key: label(header('idempotency-key')),
      hasMinPosition: header('x-min-position') !== undefined,
    });
    const answer: Answer = faults[fault];
    await answer(response, forwardTo(target, request, new Uint8Array(await read(request))));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    nonces,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
