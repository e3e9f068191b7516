import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log, System } from '../../application/ports/system.js';
import type { Quota } from '../../domain/rate-limit.js';
import { type Problem, problemOf } from './problems.js';

export type Headers = Record<string, string>;

/** Adds what is left of the caller's limits: name, value, name, value. */
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

/** The caller's own id for the request, or a new one. */
export const requestIdOf = ({ headers }: IncomingMessage, { uuid }: Pick<System, 'uuid'>) => {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && given.test(sent) ? sent : uuid();
};

const send = (response: ServerResponse, status: number, headers: Headers, body: string) => {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
};

export const answerJson = (response: ServerResponse, requestId: string, body: string, headers: Headers) =>
  send(
    response,
    200,
    { 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId, ...headers },
    body,
  );

const extraHeaders = (request: IncomingMessage, { status }: Problem): Headers => ({
  ...(status === 405 && { allow: 'POST' }),
  // What is left of a body that nobody reads must not be taken for the next request.
  ...(!request.complete && { connection: 'close' }),
});

export const answerProblem = (
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  about: { requestId: string; log: Log; headers?: Headers },
): Problem => {
  const { requestId, log } = about;
  const problem = problemOf(error, requestId);
  // Without the query string, in which anything may stand, also a secret.
  const facts = { requestId, path: request.url?.split('?', 1)[0] };
  if (problem.code === 'INTERNAL') log.error({ ...facts, err: error }, 'a request failed');
  else if (problem.status >= 500) log.warn({ ...facts, code: problem.code }, problem.detail);
  const headers = { 'content-type': 'application/problem+json', 'x-request-id': requestId, ...about.headers };
  send(response, problem.status, { ...headers, ...extraHeaders(request, problem) }, JSON.stringify(problem));
  return problem;
};
