/** Verifies a signature under a public key; false for a malformed key or signature. */
export type IsSigned = (publicKey: string, text: string, signature: string) => boolean;

/** Signer of audit records, so that write access to the stores is not enough to forge them. */
export interface Notary {
  readonly keyId: string;
  /** `audpk_…` */
  readonly publicKey: string;
  sign(text: string): string;
  readonly isSigned: IsSigned;
}

/** Archive outside of the stores for signed heads of the seal log, so that a rollback of the stores is detected. */
export interface Witness {
  /** Name of the checkpoint that stores which heads the witness has. */
  readonly name: string;
  /** Stores a head, given as one line of JSON; rejects when the witness did not store the head. */
  record(line: string): Promise<void>;
}
