import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { App } from '../../application/app.js';
import type { Position } from '../../application/ports/event-store.js';
import { refuse, StoreDown } from '../../domain/failure.js';
import { writeExact } from '../exact-json.js';
import type { Caller } from '../operations/define.js';
import type { Endpoint } from '../operations/index.js';
import { answerJson, answerProblem, type Headers, rateHeaders, requestIdOf } from './answer.js';
import { openPast } from './as-of.js';
import { drain, parseJson, readBody } from './body.js';
import { HttpFailure } from './problems.js';
import { check, createAjv } from './validation.js';

export const bodyLimit = 1_048_576;
/** How long an answer waits for the read models before it says that they are behind. */
export const consistencyMs = 2000;

/** What the operations tell the server, and ask it. */
export type Surroundings = {
  /** Told of every answered request. */
  readonly observe: (endpoint: Endpoint, status: number, seconds: number) => void;
  /** Told why requests cannot be served right now. */
  readonly trouble: (reason: string) => void;
  /** False until the read models have caught up with what was there at the start. */
  readonly isReady: () => boolean;
};

type Route = Endpoint & { readonly validator: () => ValidateFunction };
/** `headers` take what every answer tells from then on, also a refusal. */
type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly headers: Headers };
type Told = { readonly requestId: string; readonly headers: Headers };
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

const positionHeaders = ({ position, upToDate }: Outcome): Headers => ({
  'x-position': String(position),
  ...(!upToDate && { 'x-consistency': 'pending' }),
});
/** What chains count may be larger than a number can be exact; what the service counts is not, and is written faster. */
const writeBody = ({ variant }: Route, { body }: Outcome): string =>
  variant.surface === 'query' ? writeExact(body) : JSON.stringify(body);

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

  const past = async (
    route: Route,
    { request, response, headers }: Exchange,
    given: string,
    input: object,
    by: Caller,
  ) => {
    if (request.headers['x-min-position'] !== undefined)
      refuse('INVALID_ARGUMENT', 'x-as-of and x-min-position exclude each other');
    const { position, answer } = await openPast(app, route, { given, input, response, by });
    headers['x-position'] = String(position);
    return { body: await answer(input), position, upToDate: true };
  };

  const run = async (route: Route, exchange: Exchange, body: Buffer, by: Caller): Promise<Outcome> => {
    const input = check(route.validator(), parseJson(body));
    const { request } = exchange;
    const { operation } = route;
    const asOf = headerOf(request, 'x-as-of');
    if (asOf !== undefined) return past(route, exchange, asOf, input, by);
    if (operation.kind === 'query')
      return query(() => operation.handle(app, input, by), readPosition(headerOf(request, 'x-min-position')));
    const handle = (idSeed?: string) => operation.handle(app, input, { ...by, idSeed });
    const idempotencyKey = readIdempotencyKey(headerOf(request, 'idempotency-key'));
    const retry = (key: string) => ({
      apiKey: by.actor.id,
      idempotencyKey: key,
      request: `${route.path} ${app.system.sha256(body)}`,
      confidential: operation.confidential === true,
    });
    const { answer, position } =
      idempotencyKey === undefined ? await handle() : await app.once(retry(idempotencyKey), handle);
    return { body: answer, position, upToDate: await app.progress.reached(position, consistencyMs) };
  };
  return run;
};

/** Compiled when it is first needed: all of them would take half of the start. */
const validatorOf = (ajv: ReturnType<typeof createAjv>, schema: object) => {
  let validate: ValidateFunction | null = null;
  return () => {
    validate ??= ajv.compile(schema);
    return validate;
  };
};

/** Answers `POST /v1/{api}/{Operation}`: read ▸ authenticate ▸ parse ▸ validate ▸ handle ▸ wait for the read models. */
export const createOperations = (app: App, endpoints: readonly Endpoint[], around: Surroundings) => {
  const ajv = createAjv();
  const run = createRun(app);
  const routes = new Map(
    endpoints.map((endpoint): [string, Route] => [
      endpoint.path,
      { ...endpoint, validator: validatorOf(ajv, endpoint.request) },
    ]),
  );

  const admit = (request: IncomingMessage, body: Buffer, { variant }: Route) => {
    const signed = {
      key: headerOf(request, 'x-api-key'),
      nonce: headerOf(request, 'x-api-nonce'),
      signature: headerOf(request, 'x-api-signature'),
      method: request.method ?? '',
      path: request.url ?? '',
      body,
    };
    return app.access.admit(signed, variant);
  };

  const respond = async (route: Route, exchange: Exchange, requestId: string) => {
    const { request, headers } = exchange;
    if (request.method !== 'POST') throw new HttpFailure(405, 'operations are called with POST');
    if (!around.isReady()) refuse('UNAVAILABLE', 'the service is starting: its read models are catching up');
    const body = await readBody(request, bodyLimit);
    checkContentType(request, body);
    const { caller, quota } = await admit(request, body, route);
    if (quota) Object.assign(headers, rateHeaders(quota));
    if (quota && !quota.allowed) refuse('RATE_LIMITED', `no more than ${quota.limit} requests; see retry-after`);
    const { organizationId, apiKey, role } = caller;
    if (route.operation.role && route.operation.role !== role)
      refuse('PERMISSION_DENIED', `${route.operation.name} needs an ${route.operation.role} credential`);
    const by: Caller = {
      organizationId,
      role,
      variant: route.variant,
      actor: { kind: 'credential', id: apiKey },
      requestId,
    };
    return run(route, exchange, body, by);
  };

  const refused = async (request: IncomingMessage, response: ServerResponse, error: unknown, told: Told) => {
    if (!request.complete) await drain(request);
    const headers = { 'x-position': String(app.progress.current()), ...told.headers };
    const problem = answerProblem(request, response, error, { ...told, log: app.system.log, headers });
    if (error instanceof StoreDown) around.trouble(problem.detail);
    return problem.status;
  };

  return async (request: IncomingMessage, response: ServerResponse) => {
    const started = process.hrtime.bigint();
    const requestId = requestIdOf(request, app.system);
    const route = routes.get(request.url?.split('?', 1)[0] ?? '');
    const headers: Headers = {};
    let status = 200;
    try {
      if (!route) return refuse('NOT_FOUND', 'there is no such operation');
      const outcome = await respond(route, { request, response, headers }, requestId);
      answerJson(response, requestId, writeBody(route, outcome), { ...headers, ...positionHeaders(outcome) });
    } catch (error) {
      status = await refused(request, response, error, { requestId, headers });
    } finally {
      if (route) around.observe(route, status, Number(process.hrtime.bigint() - started) / 1e9);
    }
  };
};
