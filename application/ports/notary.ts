import type { Chained } from '../../domain/aggregates/audit.js';

/** Verifies a signature under a public key; false for a malformed key or signature. */
export type IsSigned = (publicKey: string, text: string, signature: string) => boolean;

/**
 * Durable mark which shows that the seal log was started. The mark is bound to the audit key, so that nobody can
 * remove the mark and keep the key.
 */
export interface LogMark {
  isSet(): Promise<boolean>;
  /** Sets the mark; called after the first checkpoint of the log was saved, and again at every start of a sealer. */
  set(): Promise<void>;
}

/** Signer of audit records, so that write access to the stores is not enough to forge audit records. */
export interface Notary {
  readonly keyId: string;
  /** Public key in the form `audpk_…`. */
  readonly publicKey: string;
  sign(text: string): string;
  readonly isSigned: IsSigned;
  readonly logMark: LogMark;
  /** Returns the message authentication code of an event, in base64url. */
  macOf(event: Chained): string;
  /** Returns whether the code of an event is valid; true where the key that verifies codes is not available. */
  isAuthentic(event: Chained & { readonly mac?: string }): boolean;
}

/** Archive outside of the stores for signed heads of the seal log, so that a rollback of the stores is detected. */
export interface Witness {
  /** Name of the checkpoint that stores which heads the witness has. */
  readonly name: string;
  /** Stores a head, given as one line of JSON; rejects when the witness did not store the head. */
  record(line: string): Promise<void>;
}
