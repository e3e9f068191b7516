import { STATUS_CODES } from 'node:http';
import { Failure, type FailureCode, type Fault } from '../../domain/failure.js';

export type ProblemCode = FailureCode | 'INTERNAL';
type Kind = {
  readonly status: number;
  readonly title: string;
  /** True when the very same request may succeed later. */
  readonly retryable: boolean;
  readonly meaning: string;
};

/** The one catalogue of error codes; `GET /problems/{slug}` explains each. */
export const problems: Readonly<Record<ProblemCode, Kind>> = {
  INVALID_ARGUMENT: {
    status: 400,
    title: 'The request is not valid',
    retryable: false,
    meaning:
      'The body is not JSON, breaks the schema of the operation, holds a bad page_token or an impossible combination. `errors` names each place. 413 is a body over the limit, 415 one that is not application/json, 405 a method other than POST.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'The request is not authenticated',
    retryable: false,
    meaning:
      'x-api-key, x-api-nonce or x-api-signature is missing, malformed, stale, used before or does not fit. Sign again with a fresh nonce.',
  },
  PERMISSION_DENIED: {
    status: 403,
    title: 'The credential may not do this',
    retryable: false,
    meaning: 'The operation needs an admin credential, or the page its bearer token.',
  },
  QUOTA_EXCEEDED: {
    status: 403,
    title: 'The organization has as many as it may have',
    retryable: false,
    meaning:
      'The request would take more than a quota of the organization has left; `detail` names the quota, its limit and how much is used (GetLimits). Remove something, or ask the operator to raise it (SetQuota).',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    retryable: false,
    meaning: 'What the request names does not exist in this organization, or there is no such operation.',
  },
  ALREADY_EXISTS: {
    status: 409,
    title: 'It is held already',
    retryable: false,
    meaning: 'The address is held by another wallet, or the domain is taken.',
  },
  FAILED_PRECONDITION: {
    status: 409,
    title: 'Not possible in this state',
    retryable: false,
    meaning: 'The thing is not in a state that allows this, or the idempotency-key was used for another request.',
  },
  CONFLICT: {
    status: 409,
    title: 'Lost a race',
    retryable: true,
    meaning: 'Others kept changing the same thing at the same time. Nothing was changed; try again.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    meaning: 'The organization is over a rate limit; `retry-after` says when to come back.',
  },
  INTERNAL: {
    status: 500,
    title: 'Something went wrong here',
    retryable: true,
    meaning: 'Our fault. The request_id finds it in the log.',
  },
  NODE_ERROR: {
    status: 502,
    title: 'The chain node failed',
    retryable: true,
    meaning: 'The node behind this chain did not answer as it should.',
  },
  UNAVAILABLE: {
    status: 503,
    title: 'A needed part is not available',
    retryable: true,
    meaning: 'A store or chain that the request needs is down or not configured; `detail` names it.',
  },
};

export const slugOf = (code: ProblemCode) => code.toLowerCase().replaceAll('_', '-');

export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly retryable: boolean;
  readonly errors: readonly Fault[];
};

/** A refusal whose HTTP status says more than its code does (405, 413, 415). */
export class HttpFailure extends Failure {
  readonly status: number;
  constructor(status: number, message: string) {
    super('INVALID_ARGUMENT', message);
    this.status = status;
  }
}

const describe = (code: ProblemCode, status: number, detail: string, requestId: string, errors: readonly Fault[]) => ({
  type: `/problems/${slugOf(code)}`,
  title: status === problems[code].status ? problems[code].title : (STATUS_CODES[status] ?? problems[code].title),
  status,
  detail,
  code,
  request_id: requestId,
  retryable: problems[code].retryable,
  errors,
});

/** Shows deliberate refusals to the caller; any other error becomes a 500 without details, found by its request id. */
export const problemOf = (error: unknown, requestId: string): Problem => {
  if (!(error instanceof Failure))
    return describe('INTERNAL', 500, 'an unexpected error; it has been logged', requestId, []);
  const status = error instanceof HttpFailure ? error.status : problems[error.code].status;
  return describe(error.code, status, error.message, requestId, error.faults);
};
