import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../../application/app.js';
import type { Position } from '../../application/ports/event-store.js';
import type { AnsweredRequest } from '../../application/ports/tracing/requests.js';
import type { Tracer } from '../../application/ports/tracing/tracer.js';
import { shortKey } from '../../application/tracing/key-form.js';
import type { Fault } from '../../domain/failure.js';
import type { Endpoint } from '../operations/index.js';
import { headerOf } from './signed-request.js';

/** Details of a request that become known while the request is handled. */
export type RequestFacts = {
  organizationId?: string;
  position?: Position;
  /**
   * Caller of a request that a session authenticates: the shortened api_key, or kind and id of another actor. Absent if
   * the request is signed.
   */
  sessionOf?: string;
};

type ReportedProblem = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly Fault[];
};

type Reported = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Endpoint that was called; undefined if the path names no known operation. */
  readonly endpoint: Pick<Endpoint, 'path'> | undefined;
  readonly facts: RequestFacts;
  readonly problem: ReportedProblem | null;
  readonly seconds: number;
};

/**
 * Problem that is reported for a request that got no response because the client disconnected. Common proxies log the
 * same status for this case.
 */
const disconnected: ReportedProblem = {
  status: 499,
  code: 'CLIENT_DISCONNECTED',
  detail: 'Client disconnected.',
  errors: [],
};
const namesOperation = /^\/v1\/[a-z]{1,8}\/[A-Za-z]{1,64}(?:\?|$)/;
const prefixLength = '/v1/'.length;
/** Returns the part `<api>/<Operation>` of the path of an operation. */
export const operationIn = (path: string) => path.slice(prefixLength);

/** Returns the explanation with the invalid fields. Leaves out a path that may contain a secret. */
const detailOf = ({ request, endpoint }: Reported, { detail, errors }: ReportedProblem) => {
  if (!endpoint && !namesOperation.test(request.url ?? '')) return 'Unknown path.';
  return [detail, ...errors.map(({ path, message }) => `${path} ${message}`)].join('; ');
};

const milliseconds = (seconds: number) => Math.round(seconds * 1e5) / 100;

/** Adds the details of a request to its trace span. Leaves out unknown paths, because they may contain a secret. */
const annotateOperation = (
  tracer: Tracer,
  { request, requestId, endpoint, facts }: Reported,
  problem: ReportedProblem | null,
) => {
  const attributes = {
    'http.route': endpoint?.path,
    'chainfold.request_id': requestId,
    'chainfold.organization': facts.organizationId,
    'chainfold.position': facts.position,
    'chainfold.code': problem?.code,
  };
  tracer.annotate(attributes, endpoint && `${request.method} ${endpoint.path}`);
};

/** Creates a function that passes each answered request to the request log. */
export const createRequestReport = ({ requests, tracer }: Pick<App, 'requests' | 'tracer'>) => {
  const describe = ({ request, requestId, endpoint, facts, seconds }: Reported, status: number): AnsweredRequest => ({
    requestId,
    organizationId: facts.organizationId,
    key: facts.sessionOf ?? shortKey(headerOf(request, 'x-api-key')),
    session: facts.sessionOf === undefined ? undefined : true,
    operation: endpoint && operationIn(endpoint.path),
    status,
    ms: milliseconds(seconds),
    position: facts.position,
  });
  return (reported: Reported) => {
    const { request, response } = reported;
    const problem = reported.problem ?? (response.headersSent ? null : disconnected);
    if (tracer.isOn) annotateOperation(tracer, reported, problem);
    if (!problem) {
      if (requests.logsNext()) requests.succeeded(describe(reported, response.statusCode));
      return;
    }
    const { status, code } = problem;
    const detail = detailOf(reported, problem);
    requests.refused({ ...describe(reported, status), code, detail }, request.socket.remoteAddress);
  };
};
