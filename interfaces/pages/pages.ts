import express, { type ErrorRequestHandler } from 'express';
import type { App } from '../../application/app.js';
import { toHeadRecord } from '../../application/audit/log/head-record.js';
import { sharedKeyDeprecated, sharedKeyEnds } from '../../application/webhooks/shared-key.js';
import { Failure, fail } from '../../domain/failure.js';
import { asyncApi } from '../contract/asyncapi.js';
import { openApi } from '../contract/openapi.js';
import { openRpc } from '../gateway/openrpc.js';
import { answerProblem, requestIdOf } from '../http/answer.js';
import { HttpFailure, problems, slugOf } from '../http/problems.js';
import { hasLocalName, isDirect, isRebound } from '../local-caller.js';
import { createConsole } from './console.js';
import { createOperatorSignIn } from './console-session.js';
import { createDocument } from './document.js';
import type { Readiness } from './readiness.js';

/** Creates the pages that explain the problems, keyed by slug. */
const createProblemPages = () =>
  new Map(
    Object.entries(problems).map(([code, kind]) => {
      const slug = slugOf(code as keyof typeof problems);
      return [slug, createDocument(() => JSON.stringify({ type: `/problems/${slug}`, code, ...kind }))];
    }),
  );

type Express = ReturnType<typeof express>;
type Deps = {
  readonly app: App;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
  readonly metricsToken: string | undefined;
  readonly readiness: Readiness;
};
type DescriptionDeps = Deps & {
  /** Version of the software, which the documents of the API show. */
  readonly version: string;
};

/**
 * Lists the progress and the alarm of each follower for `/health/ready`. The list only informs: an alarm alone does not
 * make a process unready.
 */
const chainsOf = async ({ status }: App) =>
  (await status.followers()).map(({ chain, height, head, headSeconds, trouble }) => ({
    chain,
    height,
    head,
    head_age_seconds: Math.round(headSeconds),
    alarm: trouble !== null,
  }));

/** Adds the pages that every process can serve: health and metrics. */
const addHealth = (pages: Express, { app, metrics, metricsToken, readiness }: Deps) => {
  pages.get('/health/live', (_, response) => void response.json({ status: 'live' }));
  pages.get('/health/ready', async (request, response) => {
    const reasons = await readiness(request.query.role).catch((error: unknown) => [String(error)]);
    const isReady = reasons.length === 0;
    const status = isReady ? 'ready' : 'not ready';
    const details = isRebound(request) ? {} : { reasons, chains: await chainsOf(app).catch(() => []) };
    response.status(isReady ? 200 : 503).json({ status, ...details });
  });
  pages.get('/metrics', async (request, response) => {
    const sent = request.headers.authorization ?? '';
    const bearer = metricsToken !== undefined && app.system.same(sent, `Bearer ${metricsToken}`);
    if (!bearer && !(isDirect(request) && hasLocalName(request)))
      return fail(
        'PERMISSION_DENIED',
        '/metrics requires a loopback connection or the bearer token from CHAINFOLD_METRICS_TOKEN.',
      );
    response.set('content-type', metrics.contentType).send(await metrics.render());
  });
};

/** Headers `deprecation` (RFC 9745) and `sunset` (RFC 8594) that announce the end of the shared webhook key. */
const endOfSharedKey = {
  deprecation: `@${sharedKeyDeprecated / 1000}`,
  sunset: new Date(sharedKeyEnds).toUTCString(),
};

/** Adds the pages of a process with the role `api`: descriptions, problems, the console and the public keys. */
const addDescriptions = (pages: Express, { app, version }: DescriptionDeps) => {
  const problemPages = createProblemPages();
  pages.get('/', (_, response) => response.redirect('/docs'));
  pages.get(
    '/openapi.json',
    createDocument(() => JSON.stringify(openApi(version))),
  );
  pages.get(
    '/openrpc.json',
    createDocument(() => JSON.stringify(openRpc(version))),
  );
  pages.get(
    '/asyncapi.json',
    createDocument(() => JSON.stringify(asyncApi(version))),
  );
  pages.get('/docs', (_, response) => response.redirect('/console/api'));
  const built = createConsole();
  pages.get('/console', built.page);
  pages.get('/console/assets/:name', built.asset);
  pages.get('/console/*route', built.page);
  pages.post('/console/session', createOperatorSignIn(app));
  pages.get('/problems/:slug', (request, response) => {
    const page =
      problemPages.get(request.params.slug) ??
      fail('NOT_FOUND', `Unknown problem. Known problems: ${[...problemPages.keys()].join(', ')}`);
    return page(request, response);
  });
  pages.get('/.well-known/webhook-keys', (_, response) => {
    const keys = app.sharedWebhookKeys(app.system.now()).map((public_key) => ({ public_key }));
    response.set(endOfSharedKey).json({ keys });
  });
  pages.get('/.well-known/audit-log', async (_, response) => {
    response.set('cache-control', 'no-store').json(toHeadRecord(await app.logProofs.head()));
  });
  pages.get('/.well-known/audit-keys', (_, response) => {
    const { keyId, publicKey } = app.audit;
    response.json({ keys: [{ key_id: keyId, algorithm: 'ed25519', public_key: publicKey }] });
  });
};

const servePages = <D extends Deps>(deps: D, add: readonly ((pages: Express, deps: D) => void)[]) => {
  const { app } = deps;
  const pages = express().disable('x-powered-by').disable('etag');
  pages.use((request, response, next) => {
    response.locals.startedAt = performance.now();
    response.set({ 'x-request-id': requestIdOf(request, app.system), 'x-content-type-options': 'nosniff' });
    next();
  });
  for (const some of add) some(pages, deps);
  pages.use(() => fail('NOT_FOUND', 'Page not found. GET /docs describes the API.'));

  const failed: ErrorRequestHandler = (error, request, response, _next) => {
    const { status } = error as { status?: unknown };
    // Errors with a status come from Express itself, for example for a malformed path.
    const refusal = typeof status === 'number' && status < 500 && !(error instanceof Failure);
    const requestId = String(response.getHeader('x-request-id') ?? requestIdOf(request, app.system));
    const shownError = refusal ? new HttpFailure(status, 'Malformed URL') : error;
    const problem = answerProblem(request, response, shownError, { requestId, log: app.system.log });
    const ms = Math.round(performance.now() - Number(response.locals.startedAt ?? performance.now()));
    const { code, detail } = problem;
    app.requests.refused({ requestId, status: problem.status, code, detail, ms }, request.socket.remoteAddress);
  };
  return pages.use(failed);
};

/** Creates the server of all pages: API descriptions, console, public keys, health and metrics. */
export const createPages = (deps: DescriptionDeps) => servePages(deps, [addDescriptions, addHealth]);

/** Creates the server of the pages of a process without the role `api`: health and metrics. */
export const createHealthPages = (deps: Deps) => servePages(deps, [addHealth]);
