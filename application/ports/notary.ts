/** Tells whether a text was signed with the private half of a public key; false for a malformed key or signature. */
export type IsSigned = (publicKey: string, text: string, signature: string) => boolean;

/** Signer of what auditors rely on, so that write access to the stores alone cannot forge it. */
export interface Notary {
  readonly keyId: string;
  /** `audpk_…` */
  readonly publicKey: string;
  sign(text: string): string;
  readonly isSigned: IsSigned;
}

/** Place outside of the stores that keeps the signed heads of the log of seals, so that stores cannot be taken back. */
export interface Witness {
  /** Name under which the progress of handing over is kept. */
  readonly name: string;
  /** Keeps a head, written as one line of JSON; rejects when the witness did not take it. */
  take(line: string): Promise<void>;
}
