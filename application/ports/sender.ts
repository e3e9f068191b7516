/** Notification to be posted; `headers` are those that the customer configured. */
export type WebhookMessage = {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Value of `webhook-signature` in the Standard Webhooks scheme. */
  readonly signature: string;
};

export type Reception = {
  /** HTTP status; null when there was no answer, and `failure` says why. */
  readonly status: number | null;
  readonly failure: string;
  readonly durationMs: number;
  /** First kibibyte of the answer, as text. */
  readonly answer: string;
  /** Time before which the receiver asked not to be called again, Unix ms. */
  readonly retryAt: number | null;
};

type HeaderFault = { readonly part: 'name' | 'value'; readonly reason: string };

/** Client that posts to customers' URLs; never throws. */
export interface Sender {
  /** Returns the reason why a URL cannot be used; null when it can. */
  check(url: string): string | null;
  /** Returns the part of a header because of which it cannot be sent, and the reason; null when it can. */
  checkHeader(name: string, value: string): HeaderFault | null;
  post(letter: WebhookMessage): Promise<Reception>;
  close(): Promise<void>;
}

/** Webhook that a letter is signed for, with its secret (`whsec_…`). */
export type Addressee = { readonly organizationId: string; readonly webhookId: string; readonly secret: string };

/** Signer of notifications, so that receivers can tell that this service sent them, and sent them to one webhook alone. */
export interface WebhookSigner {
  /** Signs with the key and with the secret of the webhook, and with the shared key as long as it signs. */
  sign(to: Addressee, letter: Pick<WebhookMessage, 'id' | 'timestamp' | 'body'>): string;
  /** Returns the public key (`whpk_…`) with which the receivers of a webhook, and no others, check signatures. */
  publicKeyOf(to: Addressee): string;
  /** Returns the public keys that sign for all webhooks at a time, Unix ms. */
  sharedKeys(at: number): readonly string[];
  newSecret(): string;
}
