export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Clock, ids, digests and log: everything impure that is neither a store nor a network. */
export interface System {
  /** Returns the time in Unix ms. */
  now(): number;
  /** Waits; returns early, without an error, when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets other work run between two parts of a long computation. */
  breathe(): Promise<void>;
  /** Text that identifies this operating system process among all processes that use the same stores; has no spaces. */
  readonly processId: string;
  /** Returns whether a process with the given `processId` ran on this machine and has ended. */
  hasEnded(processId: string): boolean;
  /** Returns a UUID that sorts by time. */
  uuid(): string;
  /** Returns 256 random bits as 64 hex digits. */
  secret(): string;
  sha256(bytes: Uint8Array | string): string;
  /** Returns the HMAC-SHA256 in lower-case hex. */
  hmac(key: string, text: string): string;
  /** Signs with a key that only this service holds. A signature for one `purpose` is not valid for another purpose. */
  sign(purpose: string, text: string): string;
  /**
   * Signs with a key that belongs to the current stores, for texts that become invalid when the service moves to other
   * stores.
   */
  signHere(purpose: string, text: string): string;
  /** Compares two texts in constant time, so that the duration reveals nothing about a secret. */
  same(a: string, b: string): boolean;
  readonly log: Log;
}
