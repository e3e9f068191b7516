import type { Limits, Quota } from '../../domain/rate-limit.js';
import type { MaybePromise } from '../async/maybe-promise.js';

/**
 * Result of claiming an idempotency key: no answer is recorded yet (`seed` is the same at every try), the first answer,
 * or the key was used for another request.
 */
type Claim =
  | { readonly kind: 'first'; readonly seed: string }
  | { readonly kind: 'answered'; readonly answer: string }
  | { readonly kind: 'other-request' };

/** Cost of a request, taken from its organization's limits on a chain. */
export type Charge = {
  readonly organizationId: string;
  readonly chain: string;
  readonly limits: Limits;
  readonly cost: number;
  /** Charges the cost also where a window has no room for it, so that later requests wait. */
  readonly overdraws?: true;
};

/** Request to be admitted; free when `charge` is absent. */
export type Visit = {
  readonly apiKey: string;
  readonly nonce: string;
  readonly charge?: Charge | undefined;
  /** Span that the nonce belongs to. */
  readonly span?: string | undefined;
};

export type Admission = {
  readonly replayed: boolean;
  /** True when the limiter does not know the span, and so may have forgotten its nonces; nothing was spent then. */
  readonly forgotten: boolean;
  readonly quota: Quota | null;
};

/**
 * Record of a request, as one limiter hands it to another; `time` is when the idempotency key was first used, Unix ms.
 */
export type Memory =
  | { readonly kind: 'nonce'; readonly apiKey: string; readonly nonce: string }
  | {
      readonly kind: 'answer';
      readonly apiKey: string;
      readonly idempotencyKey: string;
      readonly request: string;
      readonly seed: string;
      readonly answer: string | null;
      readonly time: number;
    };

/**
 * Nonces, rate limits and idempotency keys, on which all processes must agree and which are forgotten after a while.
 */
export interface Limiter {
  /**
   * Spends the nonce and charges the limits in one atomic step. Of all calls with the same key and nonce, on any
   * process and also after a restart, exactly one succeeds. Charges all four windows or, when one has no room for the
   * cost, none.
   */
  admit(visit: Visit): Promise<Admission>;
  /**
   * Remembers a span of nonces: as long as it is known, so are its nonces, but for those that are older than the latest
   * of them by `rememberedMs` or more.
   */
  openSpan(id: string): Promise<void>;
  /** Charges the limits of a request that has no nonce. */
  charge(charge: Charge): MaybePromise<Quota>;
  /** Claims a key for `request`, which is the operation and the digest of its body. */
  claimIdempotencyKey(apiKey: string, idempotencyKey: string, request: string): Promise<Claim>;
  recordAnswer(apiKey: string, idempotencyKey: string, answer: string): Promise<void>;
  /** Yields nonces and answers in parts, for another limiter to `remember`. Used-up limits are not included. */
  memories(): AsyncIterable<readonly Memory[]>;
  remember(memories: readonly Memory[]): Promise<void>;
  close(): Promise<void>;
}
