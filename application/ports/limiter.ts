import type { Limits, Quota } from '../../domain/rate-limit.js';
import type { MaybePromise } from '../async/maybe-promise.js';

/**
 * What a request with an idempotency key finds: no answer yet (`seed` is the same for every try), the first answer, or
 * that the key means another request.
 */
type Claim =
  | { readonly kind: 'first'; readonly seed: string }
  | { readonly kind: 'answered'; readonly answer: string }
  | { readonly kind: 'other-request' };

/** What a request uses up of its organization's limits on a chain. */
export type Charge = {
  readonly organizationId: string;
  readonly chain: string;
  readonly limits: Limits;
  readonly cost: number;
};

/** Without a `charge` it is free. */
type Visit = { readonly apiKey: string; readonly nonce: string; readonly charge?: Charge | undefined };

type Admission = { readonly replayed: boolean; readonly quota: Quota | null };

/** What is remembered of a request; `time` is when its idempotency key was first used, Unix ms. */
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

/** Facts about requests that all nodes must agree on and that are forgotten after a while. */
export interface Limiter {
  /**
   * One atomic step: spends the nonce, which exactly one caller of the same key and nonce can, on any node, also after
   * a restart; then charges all four windows or, when one has no room for the cost, none.
   */
  admit(visit: Visit): Promise<Admission>;
  /** The same for a request that has no nonce. */
  charge(charge: Charge): MaybePromise<Quota>;
  /** `request` tells requests apart: the operation and the digest of its body. */
  claimIdempotencyKey(apiKey: string, idempotencyKey: string, request: string): Promise<Claim>;
  recordAnswer(apiKey: string, idempotencyKey: string, answer: string): Promise<void>;
  /** What it remembers of requests, in parts, for another to take over. What limits were used is not among it. */
  memories(): AsyncIterable<readonly Memory[]>;
  remember(memories: readonly Memory[]): Promise<void>;
  close(): Promise<void>;
}
