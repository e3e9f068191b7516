/** A notification on its way out; the headers are the customer's own. */
export type Letter = {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** `webhook-signature` as the Standard Webhooks scheme has it. */
  readonly signature: string;
};

export type Reception = {
  /** Null when there was no answer; `failure` says why. */
  readonly status: number | null;
  readonly failure: string;
  readonly durationMs: number;
  /** The beginning of the answer, at most 1 KiB of it, as text. */
  readonly answer: string;
  /** When the receiver asked to be left alone until, Unix ms. */
  readonly retryAt: number | null;
};

/** Posts what it is given to where customers said; never throws. */
export interface Sender {
  /** Why a URL cannot be used; null when it can. */
  check(url: string): string | null;
  /** Why a header cannot be sent; null when it can. */
  checkHeader(name: string, value: string): string | null;
  post(letter: Letter): Promise<Reception>;
  close(): Promise<void>;
}

/** Signs what is sent, so that receivers know it is ours. */
export interface LetterSigner {
  /** Both signatures: under the service's key, and under the webhook's own secret (`whsec_…`). */
  sign(secret: string, letter: Pick<Letter, 'id' | 'timestamp' | 'body'>): string;
  /** `whpk_…`: what receivers check the first one with. */
  readonly publicKey: string;
  /** A new secret of a webhook. */
  newSecret(): string;
}
