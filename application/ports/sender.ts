/** Notification to post; `headers` are the headers that the customer configured. */
export type WebhookMessage = {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly id: string;
  /** Time at which the message is signed, in Unix seconds; sent as `webhook-timestamp`. */
  readonly timestamp: number;
  /** Value of `webhook-signature` in the Standard Webhooks scheme. */
  readonly signature: string;
};

export type PostResult = {
  /** HTTP status; null when there was no response. `failure` then gives the reason. */
  readonly status: number | null;
  readonly failure: string;
  readonly durationMs: number;
  /** First kibibyte of the response body, as text. Secrets of the request that the response repeats are masked. */
  readonly answer: string;
  /** Earliest next attempt that the receiver asked for (`retry-after`), Unix ms; null without such a header. */
  readonly retryAt: number | null;
};

type HeaderFault = { readonly part: 'name' | 'value'; readonly reason: string };

/** Client that posts to customers' URLs; never throws. */
export interface Sender {
  /** Returns the reason why a URL cannot be used; null when it can. */
  check(url: string): string | null;
  /** Returns the invalid part of a header and the reason; null when the header can be sent. */
  checkHeader(name: string, value: string): HeaderFault | null;
  post(message: WebhookMessage): Promise<PostResult>;
  close(): Promise<void>;
}

/** Webhook that a message is signed for, with its secret (`whsec_…`). */
export type SigningTarget = {
  readonly organizationId: string;
  readonly webhookId: string;
  readonly secret: string;
  /** Secret before the last rotation, with which receivers may still verify; undefined once the overlap has ended. */
  readonly previousSecret?: string | undefined;
};

/** Signer of notifications. Receivers verify that this service sent a notification, and sent it to their webhook. */
export interface WebhookSigner {
  /**
   * Signs with the key and the secret of the webhook, then with the key and the secret before the last rotation if the
   * target has `previousSecret`, and with the shared key while the shared key is enabled.
   */
  sign(to: SigningTarget, message: Pick<WebhookMessage, 'id' | 'timestamp' | 'body'>): string;
  /** Returns the public key of one webhook (`whpk_…`), with which its receivers verify signatures. */
  publicKeyOf(to: SigningTarget): string;
  /** Returns the public keys shared by all webhooks that are valid at a time, Unix ms. */
  sharedKeys(at: number): readonly string[];
  newSecret(): string;
}
