import type { Limits, Quota } from '../../domain/rate-limit.js';
import type { MaybePromise } from '../async/maybe-promise.js';

/**
 * Result of claiming an idempotency key. `first`: no answer is recorded yet; `seed`, from which the request derives ids
 * and secrets, is the same at every attempt. `answered`: an earlier attempt recorded the answer. `other-request`: the
 * key was used for another request.
 */
type Claim =
  | { readonly kind: 'first'; readonly seed: string }
  | { readonly kind: 'answered'; readonly answer: string }
  | { readonly kind: 'other-request' };

/** Cost of a request, charged to its organization's rate limits on a chain. */
export type Charge = {
  readonly organizationId: string;
  readonly chain: string;
  readonly limits: Limits;
  readonly cost: number;
  /** Charges the cost even if a window is exhausted, so that later requests are limited. */
  readonly overdraws?: true;
};

/** Request to be admitted; charged to no rate limit when `charge` is absent. */
export type AdmissionRequest = {
  readonly apiKey: string;
  readonly nonce: string;
  readonly charge?: Charge | undefined;
  /** Id of the span that the nonce belongs to; see `openSpan`. */
  readonly span?: string | undefined;
};

export type Admission = {
  readonly replayed: boolean;
  /**
   * True when the limiter does not know the span and so may have lost the nonces of that time. The nonce is then not
   * spent, and no rate limit is charged.
   */
  readonly isSpanUnknown: boolean;
  readonly quota: Quota | null;
};

/**
 * Used nonce or idempotency key, as copied between limiters; `time` is the first use of the idempotency key, Unix ms.
 */
export type RequestRecord =
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
 * Short-lived state that all processes share: used nonces, rate limits and idempotency keys.
 */
export interface Limiter {
  /**
   * Spends the nonce and charges the rate limits atomically. Exactly one call with a given key and nonce succeeds,
   * across processes and restarts. Charges all four windows of the rate limits, or none when one window is exhausted.
   */
  admit(request: AdmissionRequest): Promise<Admission>;
  /**
   * Opens a span, which is a time range of nonces. The limiter remembers the nonces of an open span, except nonces that
   * are older than the latest nonce by `retentionMs` or more.
   */
  openSpan(id: string): Promise<void>;
  /** Charges the rate limits for a request without a nonce. */
  charge(charge: Charge): MaybePromise<Quota>;
  /** Claims an idempotency key for `request`: the operation and the digest of its body. */
  claimIdempotencyKey(apiKey: string, idempotencyKey: string, request: string): Promise<Claim>;
  recordAnswer(apiKey: string, idempotencyKey: string, answer: string): Promise<void>;
  /**
   * Yields nonces and recorded answers in batches, for `importRecords` of another limiter. Rate limits are left out.
   */
  exportRecords(): AsyncIterable<readonly RequestRecord[]>;
  importRecords(records: readonly RequestRecord[]): Promise<void>;
  close(): Promise<void>;
}
