/** Answered request of an API, or message of the gateway. Contains no secret, signature or body. */
export type AnsweredRequest = {
  /**
   * Value of `x-request-id` in the response; for a message over WebSocket, the id of the request that opened the
   * connection.
   */
  readonly requestId: string;
  /** Organization of the caller; absent if the caller did not authenticate. */
  readonly organizationId?: string | undefined;
  /** Short form of the API key or gateway token, or `operator:` and the name of an operator. */
  readonly key?: string | undefined;
  /** Present if a session of the console authenticated the request, in place of a signature. */
  readonly session?: true | undefined;
  /**
   * `<api>/<Operation>`, or the JSON-RPC method; absent if the request names no existing operation or method, and for a
   * batch.
   */
  readonly operation?: string | undefined;
  /** `<chain>/<network>` of a gateway call; absent for other requests. */
  readonly chain?: string | undefined;
  /** Number of calls in a batch; absent for a single call or request. */
  readonly calls?: number | undefined;
  /** HTTP status; for a message over WebSocket the status that it would have over HTTP. */
  readonly status: number;
  /** Problem code or JSON-RPC error code; absent for a request that succeeded. */
  readonly code?: string | number | undefined;
  /** Explanation that a refused caller received. */
  readonly detail?: string | undefined;
  /** Milliseconds from the request to its response. */
  readonly ms: number;
  /** Event position up to which the response includes the caller's events. */
  readonly position?: number | undefined;
};

/** Request that was refused; `time` is the time of the response in Unix ms. */
export type RefusedRequest = AnsweredRequest & { readonly time: number };

/** Requests of one caller that were refused with the same code. */
export type RefusedGroup = { readonly group: string; readonly requests: readonly RefusedRequest[] };

/**
 * Bounds of the stored refusals. Bounds for each group keep a caller who is refused often from displacing the refusals
 * of other callers.
 */
export const refusalBounds = { perGroup: 200, groups: 500, retentionMs: 7 * 86_400_000 } as const;

/**
 * Recent refusals, which leave no event. Keeps the newest refusals of each group, and only the groups with the most
 * recent refusals. All processes share these refusals.
 */
export interface RefusedRequests {
  add(refused: readonly RefusedGroup[]): Promise<void>;
  /** Returns the refusals with a request id, oldest first. Callers may use an id several times. */
  find(requestId: string): Promise<readonly RefusedRequest[]>;
  close(): Promise<void>;
}

/**
 * Selection of requests that are logged. `sampled` logs one of `every` successful requests, and all refused requests.
 */
export type RequestLogPolicy =
  | { readonly kind: 'all' | 'refused' | 'off' }
  | { readonly kind: 'sampled'; readonly every: number };

export interface RequestLog {
  readonly policy: RequestLogPolicy;
  write(request: AnsweredRequest, message: string): void;
}
