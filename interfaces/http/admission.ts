import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../../application/app.js';
import type { MaybePromise } from '../../application/async/maybe-promise.js';
import { mapMaybe } from '../../application/async/maybe-promise.js';
import { shortKey } from '../../application/tracing/key-form.js';
import { fail } from '../../domain/failure.js';
import { overLimit, type Quota } from '../../domain/rate-limit.js';
import type { Caller } from '../operations/define.js';
import type { Endpoint } from '../operations/index.js';
import { type Headers, rateHeaders } from './answer.js';
import { checkRole } from './check-role.js';
import { createMeter } from './meter.js';
import type { RequestFacts } from './request-report.js';
import { checkSession, sessionCookie, sessionIn } from './session-cookie.js';
import { signedBy } from './signed-request.js';

type Route = Pick<Endpoint, 'operation' | 'variant'>;
type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: Headers;
  readonly facts: RequestFacts;
};
type Admitted = {
  readonly caller: Pick<Caller, 'organizationId' | 'role' | 'actor'>;
  readonly quota: Quota | null;
  /** Returns false once the credential is deleted or the session has ended. */
  readonly lasts: () => MaybePromise<boolean>;
};

const createSigned =
  (app: App) =>
  async ({ variant }: Route, { request }: Exchange, body: () => Promise<Buffer>): Promise<Admitted> => {
    const { caller, quota } = await app.access.admit(signedBy(request, body), variant);
    const { organizationId, role, apiKey } = caller;
    return {
      caller: { organizationId, role, actor: { kind: 'credential', id: apiKey } },
      quota,
      lasts: () => mapMaybe(app.credentialCache.find(apiKey), (found) => found !== null),
    };
  };

const createInSession =
  (app: App) =>
  async ({ operation, variant }: Route, { request, facts }: Exchange, token: string): Promise<Admitted> => {
    checkSession(request, operation);
    const caller =
      (await app.sessions.find(token)) ??
      fail('UNAUTHENTICATED', 'The session has ended: it expired, or its credential was deleted. Sign in again.');
    const { kind, id } = caller.actor;
    facts.sessionOf = shortKey(id) ?? `${kind}:${id}`;
    const quota = await app.access.charge(caller, variant);
    return { caller, quota, lasts: () => app.sessions.lasts(token) };
  };

/**
 * Creates a function that authenticates and charges a request. Rejects callers that exceed a limit or lack the role.
 */
export const createAdmission = (app: App) => {
  const [signed, inSession] = [createSigned(app), createInSession(app)];
  return async (route: Route, exchange: Exchange, requestId: string, body: () => Promise<Buffer>) => {
    const { request, response, headers, facts } = exchange;
    const { operation, variant } = route;
    const token = sessionIn(request);
    const { caller, quota, lasts } = await (token === undefined
      ? signed(route, exchange, body)
      : inSession(route, exchange, token));
    facts.organizationId = caller.organizationId;
    if (quota) Object.assign(headers, rateHeaders(quota));
    if (quota && !quota.allowed) fail('RATE_LIMITED', `Rate limit exceeded: ${overLimit(quota, variant.tag)}.`);
    checkRole(operation, caller.role);
    const { organizationId, role, actor } = caller;
    const by: Caller = {
      organizationId,
      role,
      actor,
      variant,
      requestId,
      touch: createMeter(app, caller, variant, headers),
      ...(operation.kind === 'query' && { isCancelled: () => response.destroyed }),
      ...(operation.session && { cookie: sessionCookie(request, headers) }),
    };
    return { by, lasts };
  };
};
