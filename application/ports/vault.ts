/** Encrypts each secret under its own key, so that destroying the key makes every copy of the secret unreadable. */
export interface Vault {
  /**
   * Encrypts a secret under the key `keyId`, which is created at first use. Decryption requires the same context.
   */
  seal(keyId: string, secret: string, context: string): Promise<string>;
  /** Decrypts a secret; null when its key was destroyed. Rejects with NotAsSealed when secret or context changed. */
  open(keyId: string, sealed: string, context: string): Promise<string | null>;
  destroyKey(keyId: string): Promise<void>;
  /**
   * Rewraps every key under the current master key, so that older master keys are no longer needed. Returns the number
   * of rewrapped keys.
   */
  changeMasterKey(): Promise<number>;
}

/** Thrown when a secret, or the context that it is bound to, was changed after encryption. */
export class NotAsSealed extends Error {
  override readonly name = 'NotAsSealed';
  constructor() {
    super('Secret failed authentication: the secret, or the stored data it is bound to, was changed.');
  }
}
