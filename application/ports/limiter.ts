/**
 * What a request with an idempotency key finds: no answer yet (`seed` is the same for every try), the first answer, or
 * that the key means another request.
 */
type Claim =
  | { readonly kind: 'first'; readonly seed: string }
  | { readonly kind: 'answered'; readonly answer: string }
  | { readonly kind: 'other-request' };

/** Facts about requests that all nodes must agree on and that are forgotten after a while. */
export interface Limiter {
  /** True for exactly one caller of the same key and nonce, on any node, also after a restart. */
  claimNonce(apiKey: string, nonce: string): Promise<boolean>;
  /** `request` tells requests apart: the operation and the digest of its body. */
  claimIdempotencyKey(apiKey: string, idempotencyKey: string, request: string): Promise<Claim>;
  recordAnswer(apiKey: string, idempotencyKey: string, answer: string): Promise<void>;
  close(): Promise<void>;
}
