import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import type { App } from '../../application/app.js';
import { Failure, refuse } from '../../domain/failure.js';
import { openRpc } from '../gateway/openrpc.js';
import { answerProblem, requestIdOf } from '../http/answer.js';
import { openApi } from '../http/openapi.js';
import { HttpFailure, problems, slugOf } from '../http/problems.js';

/** A projection this far behind serves answers that nobody should rely on. */
const readyLagSeconds = 30;
const apiVersion = '1.0.0';

/** Why the service should get no traffic right now; empty when it is ready. */
const notReady = async (app: App, state: ServerState): Promise<string[]> => {
  const reason = state();
  if (reason !== null) return [reason];
  const late = (await app.status.projections()).flatMap(({ name, stopped, lagSeconds }) => {
    if (stopped !== null) return [`projection ${name} stopped: ${stopped}`];
    return lagSeconds > readyLagSeconds ? [`projection ${name} is ${Math.round(lagSeconds)} s behind`] : [];
  });
  return late;
};

/** What the server itself knows to be wrong; null when nothing is. */
export type ServerState = () => string | null;

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** A proxy on this machine speaks for callers from anywhere, and says so in a header. */
const isLocal = ({ socket, headers }: IncomingMessage) =>
  loopback.test(socket.remoteAddress ?? '') && !headers['x-forwarded-for'] && !headers.forwarded;

/** Everything that is not an operation: documents, health, figures. */
export const createPages = (deps: {
  app: App;
  metrics: { readonly contentType: string; render(): Promise<string> };
  metricsToken: string | undefined;
  state: ServerState;
}) => {
  const { app, metrics, metricsToken, state } = deps;
  const pages = express().disable('x-powered-by').disable('etag');
  const document = openApi(apiVersion);
  const methods = openRpc(apiVersion);
  const docs = readFileSync(new URL('./docs.html', import.meta.url), 'utf8');

  pages.use((request, response, next) => {
    response.set('x-request-id', requestIdOf(request, app.system));
    next();
  });
  pages.get('/', (_, response) => response.redirect('/docs'));
  pages.get('/openapi.json', (_, response) => void response.json(document));
  pages.get('/openrpc.json', (_, response) => void response.json(methods));
  pages.get('/docs', (_, response) => {
    response.set('content-security-policy', "default-src 'self' 'unsafe-inline'; frame-ancestors 'none'");
    response.type('html').send(docs);
  });
  pages.get('/problems/:slug', ({ params }, response) => {
    const found = Object.entries(problems).find(([code]) => slugOf(code as keyof typeof problems) === params.slug);
    if (!found) return refuse('NOT_FOUND', 'there is no such problem');
    const [code, kind] = found;
    response.json({ type: `/problems/${params.slug}`, code, ...kind });
  });
  pages.get(
    '/.well-known/webhook-keys',
    (_, response) => void response.json({ keys: [{ public_key: app.publicKey }] }),
  );
  pages.get('/.well-known/audit-keys', (_, response) => {
    const { keyId, publicKey } = app.audit;
    response.json({ keys: [{ key_id: keyId, algorithm: 'ed25519', public_key: publicKey }] });
  });
  pages.get('/health/live', (_, response) => void response.json({ status: 'live' }));
  pages.get('/health/ready', async (_, response) => {
    const reasons = await notReady(app, state).catch((error: unknown) => [String(error)]);
    response
      .status(reasons.length === 0 ? 200 : 503)
      .json({ status: reasons.length === 0 ? 'ready' : 'not ready', reasons });
  });
  pages.get('/metrics', async (request, response) => {
    const sent = request.headers.authorization ?? '';
    const bearer = metricsToken !== undefined && app.system.same(sent, `Bearer ${metricsToken}`);
    if (!bearer && !isLocal(request))
      return refuse('PERMISSION_DENIED', 'figures are for this machine or the bearer token');
    response.set('content-type', metrics.contentType).send(await metrics.render());
  });
  pages.use(() => refuse('NOT_FOUND', 'there is no such page'));

  const failed: ErrorRequestHandler = (error, request, response, _next) => {
    const { status } = error as { status?: unknown };
    // Express's own refusals, of a malformed address for one.
    const refusal = typeof status === 'number' && status < 500 && !(error instanceof Failure);
    const requestId = String(response.getHeader('x-request-id') ?? requestIdOf(request, app.system));
    const told = refusal ? new HttpFailure(status, 'the address is malformed') : error;
    answerProblem(request, response, told, { requestId, log: app.system.log });
  };
  return pages.use(failed);
};
