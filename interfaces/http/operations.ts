import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { App } from '../../application/app.js';
import type { Context } from '../../application/handle.js';
import type { Identity } from '../../application/known-credentials.js';
import type { Position } from '../../application/ports/event-store.js';
import { refuse } from '../../domain/failure.js';
import type { Endpoint } from '../operations/index.js';
import { answerJson, answerProblem, requestIdOf } from './answer.js';
import { parseJson, readBody } from './body.js';
import { HttpFailure } from './problems.js';
import { check, createAjv } from './validation.js';

const bodyLimit = 1_048_576;
/** How long an answer waits for the read models before it says that they are behind. */
const consistencyMs = 2000;

/** Told of every answered request. */
export type Observe = (endpoint: Endpoint, status: number, seconds: number) => void;

type Route = Endpoint & { readonly validate: ValidateFunction };
type Outcome = { readonly body: object; readonly position: Position; readonly upToDate: boolean };

const headerOf = (request: IncomingMessage, name: string) => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

const readPosition = (value: string | undefined): Position => {
  if (value === undefined) return 0;
  return /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value))
    ? Number(value)
    : refuse('INVALID_ARGUMENT', 'x-min-position is not a position');
};
const readIdempotencyKey = (value: string | undefined) =>
  value === undefined || /^[\x21-\x7e]{1,255}$/.test(value)
    ? value
    : refuse('INVALID_ARGUMENT', 'idempotency-key must be 1 to 255 printable characters without spaces');

const checkContentType = (request: IncomingMessage, body: Buffer) => {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' && !(type === undefined && body.length === 0))
    throw new HttpFailure(415, 'the body must be application/json');
};

/** Answers `POST /v1/{api}/{Operation}`: read ▸ authenticate ▸ parse ▸ validate ▸ handle ▸ wait for the read models. */
export const createOperations = (app: App, endpoints: readonly Endpoint[], observe: Observe) => {
  const ajv = createAjv();
  const routes = new Map(
    endpoints.map((endpoint): [string, Route] => [
      endpoint.path,
      { ...endpoint, validate: ajv.compile(endpoint.request) },
    ]),
  );

  const authenticate = (request: IncomingMessage, body: Buffer) =>
    app.access.authenticate({
      key: headerOf(request, 'x-api-key'),
      nonce: headerOf(request, 'x-api-nonce'),
      signature: headerOf(request, 'x-api-signature'),
      method: request.method ?? '',
      path: request.url ?? '',
      body,
    });

  const query = async (handle: () => Promise<object>, atLeast: Position): Promise<Outcome> => {
    const upToDate = await app.progress.reached(atLeast, consistencyMs);
    const position = app.progress.current();
    return { body: await handle(), position, upToDate };
  };

  const run = async (route: Route, request: IncomingMessage, body: Buffer, by: Context, caller: Identity) => {
    const input = check(route.validate, parseJson(body));
    const { operation } = route;
    if (operation.kind === 'query')
      return query(() => operation.handle(app, input, by), readPosition(headerOf(request, 'x-min-position')));
    const handle = () => operation.handle(app, input, by);
    const retry = { apiKey: caller.apiKey, request: `${route.path} ${app.system.sha256(body)}` };
    const { answer, position } =
      by.idempotencyKey === undefined
        ? await handle()
        : await app.once({ ...retry, idempotencyKey: by.idempotencyKey }, handle);
    return { body: answer, position, upToDate: await app.progress.reached(position, consistencyMs) };
  };

  const respond = async (route: Route, request: IncomingMessage, requestId: string): Promise<Outcome> => {
    if (request.method !== 'POST') throw new HttpFailure(405, 'operations are called with POST');
    const body = await readBody(request, bodyLimit);
    checkContentType(request, body);
    const caller = await authenticate(request, body);
    const by: Context = {
      organizationId: caller.organizationId,
      variant: route.variant,
      actor: { kind: 'credential', id: caller.apiKey },
      requestId,
      idempotencyKey: readIdempotencyKey(headerOf(request, 'idempotency-key')),
    };
    return run(route, request, body, by, caller);
  };

  return async (request: IncomingMessage, response: ServerResponse) => {
    const started = process.hrtime.bigint();
    const requestId = requestIdOf(request, app.system);
    const route = routes.get(request.url?.split('?', 1)[0] ?? '');
    try {
      if (!route) return refuse('NOT_FOUND', 'there is no such operation');
      const { body, position, upToDate } = await respond(route, request, requestId);
      answerJson(response, requestId, body, {
        'x-position': String(position),
        ...(!upToDate && { 'x-consistency': 'pending' }),
      });
    } catch (error) {
      answerProblem(request, response, error, requestId, app.system.log);
    } finally {
      if (route) observe(route, response.statusCode, Number(process.hrtime.bigint() - started) / 1e9);
    }
  };
};
