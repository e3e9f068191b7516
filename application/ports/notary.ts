/** Tells whether a text was signed with the private half of a public key; a malformed key or signature has signed nothing. */
export type IsSigned = (publicKey: string, text: string, signature: string) => boolean;

/** Signs what auditors rely on, so that nobody who can only write to the stores can make it up. */
export interface Notary {
  readonly keyId: string;
  /** `audpk_…` */
  readonly publicKey: string;
  sign(text: string): string;
  readonly isSigned: IsSigned;
}
