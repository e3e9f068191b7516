/** Store of secrets under keys of their own, so that destroying one key makes one secret unreadable everywhere. */
export interface Vault {
  /**
   * Encrypts a secret under the key named `keyId`, which is made at first use. The result opens only with the same
   * context.
   */
  seal(keyId: string, secret: string, context: string): Promise<string>;
  /** Decrypts a secret; null when its key was destroyed. Rejects with NotAsSealed when secret or context differ. */
  open(keyId: string, sealed: string, context: string): Promise<string | null>;
  destroyKey(keyId: string): Promise<void>;
  /**
   * Wraps every key under the current master key, so that older ones are no longer needed; returns how many keys were
   * rewrapped.
   */
  changeMasterKey(): Promise<number>;
}

/** Thrown for a secret, or facts that it is bound to, that were changed since the secret was sealed. */
export class NotAsSealed extends Error {
  override readonly name = 'NotAsSealed';
  constructor() {
    super('a secret does not open with the facts that are stored beside it');
  }
}
