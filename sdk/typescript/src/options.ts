import type { Credentials } from './sign.js';

export type ClientOptions = Credentials & {
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

export type Kind = 'command' | 'query';
/** Row of the operation table: name, kind, and for lists the iterator and the field with the items. */
export type OperationRow = readonly [name: string, kind: Kind, iterator?: string, items?: string];
