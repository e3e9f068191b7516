import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { App } from '../../application/app.js';
import { createFairTurns, type FairTurns } from '../../application/async/turns/fair-turns.js';
import type { Position } from '../../application/ports/event-store.js';
import { shortKey } from '../../application/tracing/key-form.js';
import { Failure, fail, StoreDown } from '../../domain/failure.js';
import { writeExact } from '../exact-json.js';
import type { Caller } from '../operations/define.js';
import { type Endpoint, explainUnknown } from '../operations/index.js';
import { createAdmission } from './admission.js';
import { answerJson, answerProblem, beginJson, type Headers, requestIdOf } from './answer.js';
import { openAsOf } from './as-of.js';
import { drain, parseJson } from './body.js';
import { createLargeAnswers, isUnread, jsonPieces } from './large-answer.js';
import { itemsIn } from './meter.js';
import { createNotificationStream, fieldsIn, streamEndpoints } from './notification-stream.js';
import { createPendingChanges, ReadModelsBehind, unlessBehind } from './pending-changes.js';
import { HttpFailure, type Problem } from './problems.js';
import { createRequestReport, operationIn, type RequestFacts } from './request-report.js';
import { bodyOf, checkAnnounced, headerOf } from './signed-request.js';
import { check, createAjv } from './validation.js';

/**
 * Maximum time that a response waits for the read models to catch up. If the read models have not caught up by then,
 * the response has the header `x-consistency: pending`.
 */
export const consistencyMs = 2000;

/**
 * Maximum numbers of requests that one organization may have in flight and queued. Apply separately to queries and
 * commands.
 */
export const inFlight = { maxConcurrentPerKey: 128, maxWaiting: 512 };

/** Functions of the server that the handler of operations calls. */
export type ServerHooks = {
  /** Records the status and duration of an answered request. */
  readonly observe: (endpoint: Endpoint, status: number, seconds: number) => void;
  /** Reports that a store is down, which makes the service not ready for a few seconds. */
  readonly onStoreDown: (reason: string) => void;
  /** Returns why the read models are incomplete (still catching up after the start, or lost); null if complete. */
  readonly unready: () => string | null;
};

type Route = Endpoint & {
  readonly validator: () => ValidateFunction;
  /** True on the routes of notification streams; absent on all other routes. */
  readonly isStream?: true;
};
/**
 * Request with its response. `headers` collects the response headers, which are also sent if the request fails.
 */
type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: Headers;
  readonly facts: RequestFacts;
};
type RequestHeaders = { readonly requestId: string; readonly headers: Headers };
type Outcome = { readonly body: object; readonly position: Position; readonly upToDate: boolean };

const readPosition = (value: string | undefined): Position => {
  if (value === undefined) return 0;
  return /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value))
    ? Number(value)
    : fail('INVALID_ARGUMENT', `x-min-position must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}`);
};
const readIdempotencyKey = (value: string | undefined) =>
  value === undefined || /^[\x21-\x7e]{1,255}$/.test(value)
    ? value
    : fail('INVALID_ARGUMENT', 'idempotency-key must be 1 to 255 printable ASCII characters without spaces');

const positionHeaders = ({ position, upToDate }: Outcome): Headers => ({
  'x-position': String(position),
  ...(!upToDate && { 'x-consistency': 'pending' }),
});
/**
 * Serializes a body. The query API has integers beyond 2^53; for all other APIs the faster JSON.stringify is enough.
 */
const writeBody = ({ variant }: Route, { body }: Outcome): string =>
  variant.surface === 'query' ? writeExact(body) : JSON.stringify(body);

/**
 * Creates a function that validates and runs a request. A query waits until the read models have reached
 * `x-min-position`; the response to a command waits until they include its events.
 */
const createRun = (app: App) => {
  const pending = createPendingChanges(app);
  const query = async (
    { organizationId }: Caller,
    handle: () => Promise<object>,
    atLeast: Position,
  ): Promise<Outcome> => {
    const upToDate = await app.progress.reached(atLeast, consistencyMs, organizationId);
    const position = await app.progress.refresh(organizationId);
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
      fail('INVALID_ARGUMENT', 'x-as-of and x-min-position cannot be combined. Send one of them.');
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
    if (operation.kind === 'query') {
      const atLeast = Math.max(readPosition(headerOf(request, 'x-min-position')), pending.owed(by.organizationId));
      const ask = () => query(by, () => operation.handle(app, input, by), atLeast);
      return operation.waits ? ask() : app.largeWorkThrottle.small(by.organizationId, ask);
    }
    const handle = (idSeed?: string) => operation.handle(app, input, { ...by, idSeed });
    const idempotencyKey = readIdempotencyKey(headerOf(request, 'idempotency-key'));
    const retry = (key: string) => ({
      apiKey: by.actor.id,
      idempotencyKey: key,
      request: `${route.path} ${app.system.sha256(body)}`,
      confidential: operation.confidential === true,
    });
    const { answer, position } =
      idempotencyKey === undefined ? await handle() : await app.idempotency(retry(idempotencyKey), handle);
    const upToDate = await app.progress.reached(position, consistencyMs, by.organizationId);
    if (!upToDate) pending.add(by.organizationId, position);
    return { body: answer, position, upToDate };
  };
  return (...given: Parameters<typeof run>) => pending.guardNotFound(given[3].organizationId, () => run(...given));
};

const ndjson: Headers = { 'content-type': 'application/x-ndjson' };

/**
 * Creates a function that writes a complete response at once, but streams lines of JSON and lists that are still to be
 * read from the stores.
 */
const createAnswer = ({ turns }: App) => {
  const writeLarge = createLargeAnswers(turns);
  return async (route: Route, { response, headers }: Exchange, by: Caller, outcome: Outcome) => {
    const { operation } = route;
    const isLines = 'answers' in operation;
    const allHeaders = { ...headers, ...positionHeaders(outcome), ...(isLines && ndjson) };
    if (!isLines && !('isLarge' in operation && isUnread(outcome.body)))
      return answerJson(response, by.requestId, writeBody(route, outcome), allHeaders);
    const begin = () => beginJson(response, by.requestId, allHeaders);
    const pieces = isLines ? (outcome.body as AsyncGenerator<string>) : jsonPieces(outcome.body);
    return writeLarge(by.organizationId, response, begin, pieces);
  };
};

/**
 * Returns a function that compiles a schema on first use, because compiling all of them would take half of the start-up
 * time.
 */
const validatorOf = (ajv: ReturnType<typeof createAjv>, schema: object) => {
  let validate: ValidateFunction | null = null;
  return () => {
    validate ??= ajv.compile(schema);
    return validate;
  };
};

/**
 * Creates a queue of requests with a fair share for each key. A request that had to wait starts one event-loop turn
 * after its turn comes, so that newly arrived requests are handled first.
 */
const createRequestTurns = ({ system }: App, bounds: typeof inFlight): FairTurns => {
  const inTurn = createFairTurns({ maxConcurrent: Number.POSITIVE_INFINITY, ...bounds });
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
    [...endpoints, ...streamEndpoints(endpoints)].map((endpoint): [string, Route] => [
      endpoint.path,
      { ...endpoint, validator: validatorOf(ajv, endpoint.request) },
    ]),
  );
};

const methodOf = ({ isStream }: Route) => (isStream ? 'GET' : 'POST');

/** Creates a function that adds a read of a secret to the access log, before the secret is sent. */
const createSecretRecord =
  ({ accesses }: App) =>
  async ({ operation, path }: Route, { organizationId, requestId, actor }: Caller) => {
    if (operation.kind !== 'query' || !operation.confidential) return;
    const access = { organizationId, requestId, key: shortKey(actor.id), operation: operationIn(path) };
    await accesses.disclose({ kind: 'secret', ...access });
  };

/**
 * Creates the handler of `POST /v1/{api}/{Operation}`: authenticate and read ▸ parse ▸ validate ▸ handle ▸ await the
 * read models. It also handles `GET /v1/{api}/notifications/stream`.
 */
export const createOperations = (
  app: App,
  endpoints: readonly Endpoint[],
  hooks: ServerHooks,
  bounds: typeof inFlight = inFlight,
) => {
  const run = createRun(app);
  const inTurn = createRequestTurns(app, bounds);
  const answer = createAnswer(app);
  const routes = routesOf(endpoints);
  const report = createRequestReport(app);
  const recordSecret = createSecretRecord(app);
  const [admit, stream] = [createAdmission(app), createNotificationStream(app)];

  const requireReadModels = () => {
    const reason = hooks.unready();
    if (reason !== null) throw new ReadModelsBehind(reason);
  };

  const respond = async (route: Route, exchange: Exchange, requestId: string) => {
    const { request, facts } = exchange;
    const method = methodOf(route);
    if (request.method !== method) throw new HttpFailure(405, `Method not allowed. Use ${method}.`);
    requireReadModels();
    checkAnnounced(request);
    const body = bodyOf(request);
    const { by, lasts } = await admit(route, exchange, requestId, body);
    if (route.isStream) return stream(exchange, check(route.validator(), fieldsIn(request)), by, lasts);
    return inTurn(`${route.operation.kind} ${by.organizationId}`, async () => {
      // The client may have disconnected while its request was queued.
      if (exchange.response.destroyed) return;
      const outcome = await run(route, exchange, await body(), by);
      facts.position = outcome.position;
      // Rejects the query if the read models were lost while it ran, because its answer may be incomplete.
      if (route.operation.kind === 'query') requireReadModels();
      by.touch?.(itemsIn(outcome.body));
      await recordSecret(route, by);
      await answer(route, exchange, by, outcome);
    });
  };

  const answerError = (request: IncomingMessage, response: ServerResponse, error: unknown, context: RequestHeaders) => {
    const drained = request.complete ? undefined : drain(request);
    const isRateLimited = error instanceof Failure && error.code === 'RATE_LIMITED';
    const isBusy = error instanceof ReadModelsBehind || error instanceof StoreDown || isRateLimited;
    const headers = {
      'x-position': String(app.progress.current()),
      ...(isBusy && { 'retry-after': '1' }),
      ...context.headers,
    };
    const problem = answerProblem(request, response, error, { ...context, log: app.system.log, headers, drained });
    if (error instanceof StoreDown) hooks.onStoreDown(problem.detail);
    return problem;
  };

  return async (request: IncomingMessage, response: ServerResponse) => {
    const started = process.hrtime.bigint();
    const requestId = requestIdOf(request, app.system);
    const path = request.url?.split('?', 1)[0] ?? '';
    const route = routes.get(path);
    const [headers, facts]: [Headers, RequestFacts] = [{}, {}];
    let problem: Problem | null = null;
    try {
      if (!route) return fail('NOT_FOUND', explainUnknown(path, 'GET /openapi.json lists all operations'));
      await respond(route, { request, response, headers, facts }, requestId);
    } catch (error) {
      problem = answerError(request, response, error, { requestId, headers });
    } finally {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      // Observes no duration of a stream that ended without a problem, because the client determines how long a stream
      // lasts.
      if (route && (problem || !route.isStream)) hooks.observe(route, problem?.status ?? 200, seconds);
      report({ request, response, requestId, endpoint: route, facts, problem, seconds });
    }
  };
};
