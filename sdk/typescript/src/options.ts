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
 * Returns the headers that authenticate a request. A program that must not hold the secret, for example a web page with
 * a session, passes this function in place of `key` and `secret`.
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
  /**
   * Key with which retries of a command are safe even if the program restarts in between. If undefined, each command
   * that may be retried gets a random key.
   */
  readonly idempotencyKey?: string;
  /**
   * Moment as of which a query reads: an event position, or an ISO time with a time zone. If undefined, the query reads
   * the present state.
   */
  readonly asOf?: string | number;
  /**
   * Event position that the read models should have reached before a query is answered. The service waits a limited
   * time for it.
   */
  readonly minPosition?: number;
  /** Signal that aborts the call. If the call has returned a stream, the signal aborts the stream. */
  readonly signal?: AbortSignal;
  /** Additional request headers. */
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * Row of the operation table: name and kind of an operation; for lists also the name of the iterator, and the response
 * field with the items.
 */
export type OperationRow = readonly [name: string, kind: Kind, iterator?: string, items?: string];
