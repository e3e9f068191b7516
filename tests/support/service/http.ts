import { createHash, createHmac, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Problem } from '../../../interfaces/http/problems.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';

/**
 * Signs a request as docs/specification.md#6-authentication defines. This code is independent of the service, so that
 * it reveals errors of the service.
 */
export const sign = (
  { key, secret }: Credentials,
  path: string,
  body: string | Uint8Array,
  nonce = `${Date.now()}-${randomBytes(8).toString('hex')}`,
  method = 'POST',
): Record<string, string> => ({
  'x-api-key': key,
  'x-api-nonce': nonce,
  'x-api-signature': createHmac('sha256', secret)
    .update(`${nonce}\n${method}\n${path}\n${createHash('sha256').update(body).digest('hex')}`)
    .digest('hex'),
});

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> };

export const send = async (
  url: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Answer> => {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
};

/** Sends a signed call with any body, even one that no client would send. */
export const call = (
  url: string,
  credentials: Credentials,
  path: string,
  request: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const body = typeof request === 'string' || request instanceof Uint8Array ? request : JSON.stringify(request);
  return send(url, path, body as string, { ...headers, ...sign(credentials, path, body as string) });
};

export const problemIn = ({ body }: Answer) => body as unknown as Problem;

/** Writes bytes to a new connection, and returns all that the service sends until the connection closes. */
export const raw = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    // A service that rejects a request before its end may reset the connection after the answer.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
