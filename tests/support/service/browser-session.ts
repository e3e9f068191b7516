import assert from 'node:assert/strict';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { type Answer, call, send } from './http.js';

const cookieForm = /^(__Host-chainfold=[0-9a-f]{64}); Path=\/; HttpOnly; Secure; SameSite=Strict$/;

/** Returns the cookie that an answer sets, as a browser sends it back. */
export const cookieIn = ({ headers, body }: Answer): string => {
  const found = cookieForm.exec(headers.get('set-cookie') ?? '');
  assert.ok(found, `${headers.get('set-cookie')} ${JSON.stringify(body)}`);
  return found[1] as string;
};

/** Signs in, and returns the cookie of the session. */
export const signIn = async (url: string, credentials: Credentials): Promise<string> =>
  cookieIn(await call(url, credentials, '/v1/admin/CreateSession', {}));

/** Sends a request as a page of the console does: with the cookie, and without a signature. */
export const askInSession = (
  url: string,
  cookie: string,
  path: string,
  request: object = {},
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
): Promise<Answer> => send(url, path, JSON.stringify(request), { cookie, ...headers });
