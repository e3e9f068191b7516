import type { IncomingMessage, ServerResponse } from 'node:http';

/** Request headers that a page may send. */
const requestHeaders = 'content-type, x-gateway-cache, x-request-id';
/** Response headers that a page may read. */
const responseHeaders =
  'ratelimit-cost, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-gateway-attempts, x-gateway-cache, x-gateway-node, x-request-id';
/** Seconds for which a browser caches a preflight response, limited because the token may be deleted meanwhile. */
const preflightSeconds = '600';

export const isPreflight = ({ method, headers }: IncomingMessage) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/** Appends the headers that allow pages of the origin to read the response. */
export const addCors = (list: string[], origin: string): void => {
  list.push('access-control-allow-origin', origin, 'access-control-expose-headers', responseHeaders, 'vary', 'origin');
};

/** Answers a preflight request, and permits pages of the origin to call the gateway. */
export const answerPreflight = (response: ServerResponse, requestId: string, origin: string): void => {
  const list = ['x-request-id', requestId, 'access-control-allow-origin', origin, 'vary', 'origin'];
  list.push('access-control-allow-methods', 'POST', 'access-control-allow-headers', requestHeaders);
  list.push('access-control-max-age', preflightSeconds);
  response.writeHead(204, list);
  response.end();
};
