import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { App } from '../../application/app.js';
import type { Context } from '../../application/handle.js';
import type { Identity } from '../../application/known-credentials.js';
import type { Position } from '../../application/ports/event-store.js';
import { refuse } from '../../domain/failure.js';
import type { Endpoint } from '../operations/index.js';
import { answerJson, answerProblem, requestIdOf } from './answer.js';
import { drain, parseJson, readBody } from './body.js';
import { HttpFailure } from './problems.js';
import { check, createAjv } from './validation.js';

const bodyLimit = 1_048_576;
/** How long an answer waits for the read models before it says that they are behind. */
const consistencyMs = 2000;

/** What the operations tell the server, and ask it. */
export type Surroundings = {
  /** Told of every answered request. */
  readonly observe: (endpoint: Endpoint, status: number, seconds: number) => void;
  /** Told why requests cannot be served right now. */
  readonly trouble: (reason: string) => void;
  /** False until the read models have caught up with what was there at the start. */
  readonly isReady: () => boolean;
};

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
  if (body.length > 0 && type !== 'application/json') throw new HttpFailure(415, 'the body must be application/json');
};

/** A checked request to its outcome: a query sees at least what was asked for, a command is seen by whoever asks next. */
const createRun = (app: App) => {
  const query = async (handle: () => Promise<object>, atLeast: Position): Promise<Outcome> => {
    const upToDate = await app.progress.reached(atLeast, consistencyMs);
    const position = await app.progress.ask();
    return { body: await handle(), position, upToDate };
  };

  const run = async (route: Route, request: IncomingMessage, body: Buffer, by: Context, caller: Identity) => {
    const input = check(route.validate, parseJson(body));
    const { operation } = route;
    if (operation.kind === 'query')
      return query(() => operation.handle(app, input, by), readPosition(headerOf(request, 'x-min-position')));
    const handle = (idSeed?: string) => operation.handle(app, input, { ...by, idSeed });
    const idempotencyKey = readIdempotencyKey(headerOf(request, 'idempotency-key'));
    const retry = (key: string) => ({
      apiKey: caller.apiKey,
      idempotencyKey: key,
      request: `${route.path} ${app.system.sha256(body)}`,
    });
    const { answer, position } =
      idempotencyKey === undefined ? await handle() : await app.once(retry(idempotencyKey), handle);
    return { body: answer, position, upToDate: await app.progress.reached(position, consistencyMs) };
  };
  return run;
};

/** Answers `POST /v1/{api}/{Operation}`: read ▸ authenticate ▸ parse ▸ validate ▸ handle ▸ wait for the read models. */
export const createOperations = (app: App, endpoints: readonly Endpoint[], around: Surroundings) => {
  const ajv = createAjv();
  const run = createRun(app);
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

  const respond = async (route: Route, request: IncomingMessage, requestId: string): Promise<Outcome> => {
    if (request.method !== 'POST') throw new HttpFailure(405, 'operations are called with POST');
    if (!around.isReady()) refuse('UNAVAILABLE', 'the service is starting: its read models are catching up');
    const body = await readBody(request, bodyLimit);
    checkContentType(request, body);
    const caller = await authenticate(request, body);
    const by: Context = {
      organizationId: caller.organizationId,
      variant: route.variant,
      actor: { kind: 'credential', id: caller.apiKey },
      requestId,
    };
    return run(route, request, body, by, caller);
  };

  const refused = async (request: IncomingMessage, response: ServerResponse, error: unknown, requestId: string) => {
    if (!request.complete) await drain(request);
    const headers = { 'x-position': String(app.progress.current()) };
    const problem = answerProblem(request, response, error, { requestId, log: app.system.log, headers });
    if (problem.code === 'UNAVAILABLE') around.trouble(problem.detail);
    return problem.status;
  };

  return async (request: IncomingMessage, response: ServerResponse) => {
    const started = process.hrtime.bigint();
    const requestId = requestIdOf(request, app.system);
    const route = routes.get(request.url?.split('?', 1)[0] ?? '');
    let status = 200;
    try {
      if (!route) return refuse('NOT_FOUND', 'there is no such operation');
      const { body, position, upToDate } = await respond(route, request, requestId);
      answerJson(response, requestId, body, {
        'x-position': String(position),
        ...(!upToDate && { 'x-consistency': 'pending' }),
      });
    } catch (error) {
      status = await refused(request, response, error, requestId);
    } finally {
      if (route) around.observe(route, status, Number(process.hrtime.bigint() - started) / 1e9);
    }
  };
};
