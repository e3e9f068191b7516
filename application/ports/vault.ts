/** Keeps secrets under keys of their own, so that destroying one key makes one secret unreadable everywhere. */
export interface Vault {
  /** Seals under the key named `keyId`, made at first use. What is sealed for one context opens in no other. */
  seal(keyId: string, secret: string, context: string): Promise<string>;
  /** Null when the key was destroyed. */
  open(keyId: string, sealed: string, context: string): Promise<string | null>;
  destroyKey(keyId: string): Promise<void>;
  /** Wraps every key under the current master key and gives up the others; says how many keys that changed. */
  changeMasterKey(): Promise<number>;
}
