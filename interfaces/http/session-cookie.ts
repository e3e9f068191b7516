import type { IncomingMessage } from 'node:http';
import { fail } from '../../domain/failure.js';
import { isDirect } from '../local-caller.js';
import type { AnyOperation, SessionCookie } from '../operations/define.js';
import type { Headers } from './answer.js';
import { HttpFailure } from './problems.js';
import { headerOf, isJson } from './signed-request.js';

/** Name of the cookie. Browsers accept the prefix `__Host-` only with `Secure`, `Path=/` and without a domain. */
const cookieName = '__Host-chainfold';
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict';
const sentCookie = new RegExp(`(?:^|;\\s*)${cookieName}=([0-9a-f]{64})(?:;|$)`);
const signatureHeaders = ['x-api-key', 'x-api-nonce', 'x-api-signature'];

const tokenIn = ({ headers }: IncomingMessage) => sentCookie.exec(headers.cookie ?? '')?.[1];

/**
 * Returns the session token of a request; undefined for a request with any signature header, which is authenticated by
 * its signature.
 */
export const sessionIn = (request: IncomingMessage): string | undefined =>
  signatureHeaders.some((name) => request.headers[name] !== undefined) ? undefined : tokenIn(request);

const localName = /^http:\/\/(?:[^/]+\.)?localhost(?::\d+)?$|^http:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * Returns why the connection is not safe for a session cookie; null if it is safe. Browsers send `sec-fetch-site` only
 * over https and to their own machine, and proxies forward the header. A request with the header therefore comes from a
 * browser over a safe connection.
 */
export const unsafeConnection = (request: IncomingMessage): string | null => {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isPlain = origin?.toLowerCase().startsWith('http://') === true && !localName.test(origin);
  if (isDirect(request) || (site !== undefined && !isPlain)) return null;
  return (
    'The console cannot be used over plain HTTP from another machine: anybody on the way could read the session. ' +
    'Put a proxy with HTTPS in front of the service, or open it through an SSH tunnel to localhost.'
  );
};

/**
 * Returns the value of the `set-cookie` header that stores the token in the session cookie, or removes the cookie if
 * `token` is null.
 */
export const cookieFor = (token: string | null) =>
  token === null ? `${cookieName}=; ${attributes}; Max-Age=0` : `${cookieName}=${token}; ${attributes}`;

export const sessionCookie = (request: IncomingMessage, headers: Headers): SessionCookie => ({
  sent: tokenIn(request),
  refusal: () => unsafeConnection(request),
  set: (token) => {
    headers['set-cookie'] = cookieFor(token);
  },
});

/**
 * Rejects a request unless the browser states that it comes from a page of the same origin. `same-site` is not enough,
 * because it includes pages on other ports.
 */
export const requireSameOrigin = (request: IncomingMessage): void => {
  if (headerOf(request, 'sec-fetch-site') !== 'same-origin')
    fail(
      'PERMISSION_DENIED',
      "A session's cookie is accepted only from pages of the console (sec-fetch-site: same-origin). Sign the request.",
    );
  if (request.method === 'POST' && !isJson(request))
    throw new HttpFailure(415, 'content-type must be application/json');
};

/** Rejects a request that the session cookie alone does not authorize: a command, or a query that returns a secret. */
export const checkSession = (request: IncomingMessage, { name, kind, confidential, session }: AnyOperation): void => {
  requireSameOrigin(request);
  if (session === 'ends' || (kind === 'query' && !confidential)) return;
  const reason = kind === 'query' ? 'returns a secret' : 'is a command';
  fail(
    'PERMISSION_DENIED',
    `${name} ${reason} and needs a signature: x-api-key, x-api-nonce and x-api-signature. A session is for queries only.`,
  );
};
