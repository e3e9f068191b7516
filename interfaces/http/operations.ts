import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { App } from '../../application/app.js';
import { createFairTurns, type FairTurns } from '../../application/async/fair-turns.js';
import type { Position } from '../../application/ports/event-store.js';
import { Failure, fail, StoreDown } from '../../domain/failure.js';
import { overLimit } from '../../domain/rate-limit.js';
import { writeExact } from '../exact-json.js';
import type { Caller } from '../operations/define.js';
import { type Endpoint, explainUnknown } from '../operations/index.js';
import { answerJson, answerProblem, beginJson, type Headers, rateHeaders, requestIdOf } from './answer.js';
import { openAsOf } from './as-of.js';
import { checkLength, drain, parseJson, readBody } from './body.js';
import { createLargeAnswers, isUnread } from './large-answer.js';
import { createMeter, itemsIn } from './meter.js';
import { createPendingChanges, NotYetThere, unlessBehind } from './pending-changes.js';
import { HttpFailure } from './problems.js';
import { check, createAjv } from './validation.js';

export const bodyLimit = 1_048_576;
/** Time that an answer waits for the read models before it says `x-consistency: pending`. */
export const consistencyMs = 2000;

/** Requests of one organization that are worked on, and that may wait for it: of queries as many as of commands. */
export const inFlight = { ofOneKey: 128, maxWaiting: 512 };

/** Callbacks of the server that the operations run in. */
export type Surroundings = {
  /** Records the status and duration of an answered request. */
  readonly observe: (endpoint: Endpoint, status: number, seconds: number) => void;
  /** Reports a store that is down, which makes the service unready for a while. */
  readonly trouble: (reason: string) => void;
  /** Returns why the read models are incomplete: they are catching up at the start, or were lost; else null. */
  readonly unready: () => string | null;
};

type Route = Endpoint & { readonly validator: () => ValidateFunction };
/** `headers` collect what the answer will carry whether the request succeeds or is refused. */
type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly headers: Headers };
type RequestHeaders = { readonly requestId: string; readonly headers: Headers };
type Outcome = { readonly body: object; readonly position: Position; readonly upToDate: boolean };

const headerOf = (request: IncomingMessage, name: string) => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

const readPosition = (value: string | undefined): Position => {
  if (value === undefined) return 0;
  return /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value))
    ? Number(value)
    : fail('INVALID_ARGUMENT', 'x-min-position must be an event position: a whole number from 0 on');
};
const readIdempotencyKey = (value: string | undefined) =>
  value === undefined || /^[\x21-\x7e]{1,255}$/.test(value)
    ? value
    : fail('INVALID_ARGUMENT', 'idempotency-key must be 1 to 255 printable characters without spaces');

const positionHeaders = ({ position, upToDate }: Outcome): Headers => ({
  'x-position': String(position),
  ...(!upToDate && { 'x-consistency': 'pending' }),
});
/** Writes bigints for the query API, since chains count beyond 2^53; JSON.stringify is faster for the others. */
const writeBody = ({ variant }: Route, { body }: Outcome): string =>
  variant.surface === 'query' ? writeExact(body) : JSON.stringify(body);

/** Length up to which a body is read before it is known whether its key exists, so that no answer comes earlier. */
const shortBody = 16_384;
const isShort = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= shortBody;

const signedBy = (request: IncomingMessage, body: () => Promise<Buffer>) => ({
  key: headerOf(request, 'x-api-key'),
  nonce: headerOf(request, 'x-api-nonce'),
  signature: headerOf(request, 'x-api-signature'),
  method: request.method ?? '',
  path: request.url ?? '',
  body,
  isShort: isShort(request),
});

const checkContentType = (request: IncomingMessage, hasBody: boolean) => {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (hasBody && type !== 'application/json') throw new HttpFailure(415, 'content-type must be application/json');
};

/** Refuses a body by what the headers tell of it, before any of it is read. */
const checkAnnounced = (request: IncomingMessage) => {
  checkLength(request, bodyLimit);
  const { 'content-length': length = '0', 'content-type': type, 'transfer-encoding': encoding } = request.headers;
  checkContentType(request, Number(length) > 0 || (encoding !== undefined && type !== undefined));
};

/** Reads the body when it is first asked for, and once. */
const bodyOf = (request: IncomingMessage) => {
  let reading: Promise<Buffer> | undefined;
  return () => {
    reading ??= readBody(request, bodyLimit).then((body) => {
      checkContentType(request, body.length > 0);
      return body;
    });
    return reading;
  };
};

const checkRole = ({ operation: { name, role: needed } }: Route, role: Caller['role']) => {
  if (needed && needed !== role)
    fail('PERMISSION_DENIED', `${name} needs an ${needed} credential, and this is a ${role} credential`);
};

/** Runs a checked request: a query waits for `x-min-position`, a command until the read models include its events. */
const createRun = (app: App) => {
  const late = createPendingChanges(app);
  const query = async (handle: () => Promise<object>, atLeast: Position): Promise<Outcome> => {
    const upToDate = await app.progress.reached(atLeast, consistencyMs);
    const position = await app.progress.ask();
    return { body: await unlessBehind(upToDate, handle), position, upToDate };
  };

  const past = async (
    route: Route,
    { request, response, headers }: Exchange,
    given: string,
    input: object,
    by: Caller,
  ) => {
    if (request.headers['x-min-position'] !== undefined)
      fail('INVALID_ARGUMENT', 'give x-as-of or x-min-position, not both');
    const { position, answer } = await openAsOf(app, route, { given, input, response, by });
    headers['x-position'] = String(position);
    return { body: await answer(input), position, upToDate: true };
  };

  const run = async (route: Route, exchange: Exchange, body: Buffer, by: Caller): Promise<Outcome> => {
    const input = check(route.validator(), parseJson(body));
    const { request } = exchange;
    const { operation } = route;
    by.touch?.(itemsIn(input));
    const asOf = headerOf(request, 'x-as-of');
    if (asOf !== undefined) return past(route, exchange, asOf, input, by);
    if (operation.kind === 'query')
      return app.shares.small(by.organizationId, () =>
        query(
          () => operation.handle(app, input, by),
          Math.max(readPosition(headerOf(request, 'x-min-position')), late.owed(by.organizationId)),
        ),
      );
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
    const upToDate = await app.progress.reached(position, consistencyMs);
    if (!upToDate) late.tell(by.organizationId, position);
    return { body: answer, position, upToDate };
  };
  return (...given: Parameters<typeof run>) => late.notYet(given[3].organizationId, () => run(...given));
};

/** Writes an outcome at once, or while it is read when it is large. */
const createAnswer = ({ turns }: App) => {
  const writeLarge = createLargeAnswers(turns);
  return async (route: Route, { response, headers }: Exchange, by: Caller, outcome: Outcome) => {
    const told = { ...headers, ...positionHeaders(outcome) };
    if (!('isLarge' in route.operation) || !isUnread(outcome.body))
      return answerJson(response, by.requestId, writeBody(route, outcome), told);
    const begin = () => beginJson(response, by.requestId, told);
    return writeLarge(by.organizationId, response, begin, outcome.body);
  };
};

/** Compiles a schema when it is first needed, because compiling all of them would take half of the start. */
const validatorOf = (ajv: ReturnType<typeof createAjv>, schema: object) => {
  let validate: ValidateFunction | null = null;
  return () => {
    validate ??= ajv.compile(schema);
    return validate;
  };
};

/** Lets requests begin in turn; one that had to wait begins in a later turn of the loop, after what others sent. */
const createRequestTurns = ({ system }: App, bounds: typeof inFlight): FairTurns => {
  const inTurn = createFairTurns({ atOnce: Number.POSITIVE_INFINITY, ...bounds });
  return (key, work) => {
    const request: { hasWaited: boolean } = { hasWaited: false };
    const done = inTurn(key, async () => {
      if (request.hasWaited) await system.breathe();
      return work();
    });
    request.hasWaited = true;
    return done;
  };
};

const routesOf = (endpoints: readonly Endpoint[]) => {
  const ajv = createAjv();
  return new Map(
    endpoints.map((endpoint): [string, Route] => [
      endpoint.path,
      { ...endpoint, validator: validatorOf(ajv, endpoint.request) },
    ]),
  );
};

/** Answers `POST /v1/{api}/{Operation}`: authenticate and read ▸ parse ▸ validate ▸ handle ▸ wait for the read models. */
export const createOperations = (
  app: App,
  endpoints: readonly Endpoint[],
  around: Surroundings,
  bounds: typeof inFlight = inFlight,
) => {
  const run = createRun(app);
  const inTurn = createRequestTurns(app, bounds);
  const answer = createAnswer(app);
  const routes = routesOf(endpoints);

  const requireReadModels = () => {
    const reason = around.unready();
    if (reason !== null) fail('UNAVAILABLE', reason);
  };

  const respond = async (route: Route, exchange: Exchange, requestId: string) => {
    const { request, headers } = exchange;
    if (request.method !== 'POST') throw new HttpFailure(405, 'operations are called with POST');
    requireReadModels();
    checkAnnounced(request);
    const body = bodyOf(request);
    const { caller, quota } = await app.access.admit(signedBy(request, body), route.variant);
    if (quota) Object.assign(headers, rateHeaders(quota));
    if (quota && !quota.allowed) fail('RATE_LIMITED', `${overLimit(quota, route.variant.tag)}; see retry-after`);
    const { organizationId, apiKey, role } = caller;
    checkRole(route, role);
    const by: Caller = {
      organizationId,
      role,
      variant: route.variant,
      actor: { kind: 'credential', id: apiKey },
      requestId,
      touch: createMeter(app, caller, route.variant, headers),
    };
    return inTurn(`${route.operation.kind} ${organizationId}`, async () => {
      // A caller that left while its request waited gets no more work done.
      if (exchange.response.destroyed) return;
      const outcome = await run(route, exchange, await body(), by);
      // Read models that were lost meanwhile have answered a query with less than there is.
      if (route.operation.kind === 'query') requireReadModels();
      by.touch?.(itemsIn(outcome.body));
      await answer(route, exchange, by, outcome);
    });
  };

  const refused = (request: IncomingMessage, response: ServerResponse, error: unknown, told: RequestHeaders) => {
    const drained = request.complete ? undefined : drain(request);
    const isBusy = error instanceof NotYetThere || (error instanceof Failure && error.code === 'RATE_LIMITED');
    const headers = {
      'x-position': String(app.progress.current()),
      ...(isBusy && { 'retry-after': '1' }),
      ...told.headers,
    };
    const problem = answerProblem(request, response, error, { ...told, log: app.system.log, headers, drained });
    if (error instanceof StoreDown) around.trouble(problem.detail);
    return problem.status;
  };

  return async (request: IncomingMessage, response: ServerResponse) => {
    const started = process.hrtime.bigint();
    const requestId = requestIdOf(request, app.system);
    const path = request.url?.split('?', 1)[0] ?? '';
    const route = routes.get(path);
    const headers: Headers = {};
    let status = 200;
    try {
      if (!route) return fail('NOT_FOUND', explainUnknown(path, 'GET /openapi.json lists them'));
      await respond(route, { request, response, headers }, requestId);
    } catch (error) {
      status = refused(request, response, error, { requestId, headers });
    } finally {
      if (route) around.observe(route, status, Number(process.hrtime.bigint() - started) / 1e9);
    }
  };
};
