import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log, System } from '../../application/ports/system.js';
import type { Quota } from '../../domain/rate-limit.js';
import { type Problem, problemOf } from './problems.js';

export type Headers = Record<string, string>;

/** Appends the rate-limit headers to a flat list of names and values. */
export const addRateHeaders = (list: string[], { allowed, limit, remaining, resetMs }: Quota): void => {
  const seconds = String(Math.ceil(resetMs / 1000));
  list.push('ratelimit-limit', String(limit), 'ratelimit-remaining', String(remaining), 'ratelimit-reset', seconds);
  if (!allowed) list.push('retry-after', seconds);
};

export const rateHeaders = (quota: Quota): Headers => {
  const list: string[] = [];
  addRateHeaders(list, quota);
  const headers: Headers = {};
  for (let i = 0; i < list.length; i += 2) headers[list[i] as string] = list[i + 1] as string;
  return headers;
};

const given = /^[\x21-\x7e]{1,128}$/;

/** Returns the `x-request-id` of the caller if it is well-formed, and a new id otherwise. */
export const requestIdOf = ({ headers }: IncomingMessage, { uuid }: Pick<System, 'uuid'>) => {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && given.test(sent) ? sent : uuid();
};

const start = (response: ServerResponse, status: number, headers: Headers, body: string) =>
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });

const isOver = (response: ServerResponse) => {
  if (response.destroyed) return true;
  // Closes the connection if another response was already started, because that is the only way to show the client that
  // the response is incomplete.
  if (response.headersSent) response.destroy();
  return response.headersSent;
};

const send = (response: ServerResponse, status: number, headers: Headers, body: string) => {
  if (!isOver(response)) start(response, status, headers, body).end(body);
};

/**
 * Sends a response at once, but ends it only after the request body is drained, because ending closes the connection.
 */
const sendEarly = async (
  response: ServerResponse,
  [status, headers, body]: readonly [number, Headers, string],
  drained: Promise<void>,
) => {
  if (isOver(response)) return;
  start(response, status, headers, body).write(body);
  await drained;
  response.end();
};

const noSniff = { 'x-content-type-options': 'nosniff' };
const jsonHeaders = (requestId: string, headers: Headers): Headers => ({
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': requestId,
  ...noSniff,
  ...headers,
});

/** Sends the headers of a successful response. The caller then writes the body in pieces. */
export const beginJson = (response: ServerResponse, requestId: string, headers: Headers) =>
  response.writeHead(200, jsonHeaders(requestId, headers));

export const answerJson = (response: ServerResponse, requestId: string, body: string, headers: Headers) =>
  send(response, 200, jsonHeaders(requestId, headers), body);

/** Matches the paths of notification streams, which are read with GET. All other paths are operations. */
const streamEnding = /\/notifications\/stream(?:\?|$)/;

const extraHeaders = (request: IncomingMessage, { status }: Problem): Headers => ({
  ...(status === 405 && { allow: streamEnding.test(request.url ?? '') ? 'GET' : 'POST' }),
  // Closes the connection, because the unread rest of the request body would be parsed as the next request.
  ...(!request.complete && { connection: 'close' }),
});

export const answerProblem = (
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  about: { requestId: string; log: Log; headers?: Headers; drained?: Promise<void> | undefined },
): Problem => {
  const { requestId, log, drained } = about;
  const problem = problemOf(error, requestId);
  // The query string is not logged, because it may contain a secret.
  const fields = { requestId, path: request.url?.split('?', 1)[0] };
  if (problem.code === 'INTERNAL') log.error({ ...fields, err: error }, 'Request failed');
  else if (problem.status >= 500) log.warn({ ...fields, code: problem.code }, problem.detail);
  const own = { 'content-type': 'application/problem+json', 'x-request-id': requestId, ...noSniff };
  const headers = { ...own, ...about.headers, ...extraHeaders(request, problem) };
  const body = JSON.stringify(problem);
  if (drained === undefined) send(response, problem.status, headers, body);
  else void sendEarly(response, [problem.status, headers, body], drained);
  return problem;
};
