import { STATUS_CODES } from 'node:http';
import { Failure, type FailureCode, type Fault } from '../../domain/failure.js';

export type ProblemCode = FailureCode | 'INTERNAL';
type Kind = {
  readonly status: number;
  readonly title: string;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  readonly meaning: string;
};

/** All error codes. `GET /problems/{slug}` returns the explanation of each. */
export const problems: Readonly<Record<ProblemCode, Kind>> = {
  INVALID_ARGUMENT: {
    status: 400,
    title: 'Invalid request',
    retryable: false,
    meaning:
      'The body is not JSON, violates the schema of the operation, or has an invalid page_token or combination of fields. `errors` lists each invalid field. Status 413: the body is too large. 415: the body is not application/json. 405: the method is not POST.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'Authentication failed',
    retryable: false,
    meaning:
      'x-api-key, x-api-nonce or x-api-signature is missing, malformed, expired, already used or does not match the request. Sign the request again with a new nonce.',
  },
  PERMISSION_DENIED: {
    status: 403,
    title: 'Permission denied',
    retryable: false,
    meaning: 'The operation requires an admin credential, or the page requires its bearer token.',
  },
  QUOTA_EXCEEDED: {
    status: 403,
    title: 'Quota exceeded',
    retryable: false,
    meaning:
      'The request would exceed a quota of the organization. `detail` names the quota, its limit and its usage (see GetLimits). Remove resources, or ask the operator to raise the quota (SetQuota).',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    retryable: false,
    meaning: 'The resource does not exist in this organization, or the operation does not exist.',
  },
  ALREADY_EXISTS: {
    status: 409,
    title: 'Already exists',
    retryable: false,
    meaning: 'The resource already exists, the address is held by another wallet, or the domain is taken.',
  },
  FAILED_PRECONDITION: {
    status: 409,
    title: 'Failed precondition',
    retryable: false,
    meaning: 'The state of the resource does not allow this, or the idempotency-key was used for another request.',
  },
  CONFLICT: {
    status: 409,
    title: 'Concurrent modification',
    retryable: true,
    meaning: 'The resource was modified concurrently, and this request changed nothing. Retry the request.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    meaning: 'The organization exceeded a rate limit. Retry after the number of seconds in `retry-after`.',
  },
  INTERNAL: {
    status: 500,
    title: 'Internal error',
    retryable: true,
    meaning: 'The service failed. Its log has the details under the request_id.',
  },
  NODE_ERROR: {
    status: 502,
    title: 'Chain node error',
    retryable: true,
    meaning: 'The node of the chain failed or returned an invalid answer.',
  },
  UNAVAILABLE: {
    status: 503,
    title: 'Unavailable',
    retryable: true,
    meaning: 'A store or chain that the request needs is down or not configured. `detail` names it.',
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

/** Failure with an HTTP status of its own, such as 405, 413 or 415. */
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

/** Converts an error to a problem. Any error other than a Failure becomes a 500 without details. */
export const problemOf = (error: unknown, requestId: string): Problem => {
  if (!(error instanceof Failure))
    return describe(
      'INTERNAL',
      500,
      'Internal error. The log of the service has the details under the request_id.',
      requestId,
      [],
    );
  const status = error instanceof HttpFailure ? error.status : problems[error.code].status;
  return describe(error.code, status, error.message, requestId, error.faults);
};
