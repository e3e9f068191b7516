import type { IncomingMessage, ServerResponse } from 'node:http';

/** Headers of a request that a page may send, and of an answer that a page may read. */
const sent = 'content-type, x-gateway-cache, x-request-id';
const read =
  'ratelimit-cost, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-gateway-attempts, x-gateway-cache, x-gateway-node, x-request-id';
/** Seconds for which a browser need not ask again; short, since a token may be deleted. */
const keptSeconds = '600';

/** Tells whether a browser asks beforehand if a page may call. */
export const isPreflight = ({ method, headers }: IncomingMessage) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/** Appends the headers that let pages of that origin read the answer. */
export const addCors = (list: string[], origin: string): void => {
  list.push('access-control-allow-origin', origin, 'access-control-expose-headers', read, 'vary', 'origin');
};

/** Tells a browser that pages of that origin may call. */
export const answerPreflight = (response: ServerResponse, requestId: string, origin: string): void => {
  const list = ['x-request-id', requestId, 'access-control-allow-origin', origin, 'vary', 'origin'];
  list.push('access-control-allow-methods', 'POST', 'access-control-allow-headers', sent);
  list.push('access-control-max-age', keptSeconds);
  response.writeHead(204, list);
  response.end();
};
