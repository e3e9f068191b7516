import type { Credentials } from './sign.js';

export type Kind = 'command' | 'query';

/** Request that is about to be sent. */
export type RequestToSend = {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly kind: Kind;
};

/**
 * Returns the headers that authenticate a request. It replaces `key` and `secret` in a program that must not hold the
 * secret, for example a web page with a session.
 */
export type Authenticate = (request: RequestToSend) => Promise<Readonly<Record<string, string>>>;

export type ClientOptions = (Credentials | { readonly authenticate: Authenticate }) & {
  /** URL of the service, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Maximum number of retries of a call; 3 by default. */
  readonly maxRetries?: number;
  /** Time that one attempt may take, in milliseconds; 60 000 by default. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`, for example to use a proxy. */
  readonly fetch?: typeof fetch;
};

export type CallOptions = {
  /** Makes retries of a command safe across restarts of the program. Without it, each command gets a key of its own. */
  readonly idempotencyKey?: string;
  /** Moment as of which a query is answered: an event position, or an ISO time with a time zone. */
  readonly asOf?: string | number;
  /** Event position that the answer of a query must include. */
  readonly minPosition?: number;
  readonly signal?: AbortSignal;
  /** Additional request headers. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Row of the operation table: name, kind, and for lists the iterator and the field with the items. */
export type OperationRow = readonly [name: string, kind: Kind, iterator?: string, items?: string];
