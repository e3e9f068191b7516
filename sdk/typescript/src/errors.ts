import type { ProblemCode } from './generated.js';

/** Problem details by RFC 9457: the body of the response with which the service refuses a request. */
export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** Invalid fields, each with a JSON pointer into the body. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
};

/** Thrown when the service refuses a call; `problem` is the response body. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  readonly code: ProblemCode;
  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
    this.code = problem.code;
  }
}

/**
 * Thrown when no response of the service arrives: the network failed, the timeout expired, or another server (such as a
 * proxy) responded.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** HTTP status of the response of another server, such as a proxy; undefined if there was no response. */
  readonly status: number | undefined;
  constructor(message: string, cause?: unknown, status?: number) {
    super(message, { cause });
    this.status = status;
  }
}

/** Thrown when a webhook does not come from the service, or is too old to be trusted. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}
