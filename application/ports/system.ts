export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Clock, ids, digests and log: everything impure that is neither a store nor a network. */
export interface System {
  /** Unix ms. */
  now(): number;
  /** Ends early, without an error, when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets other work run between two parts of a long computation. */
  breathe(): Promise<void>;
  /** A UUID that sorts by time. */
  uuid(): string;
  /** 256 bits that cannot be guessed, as 64 hex digits. */
  secret(): string;
  sha256(bytes: Uint8Array | string): string;
  /** Lower-case hex of HMAC-SHA256. */
  hmac(key: string, text: string): string;
  /** Under a key of this service that no one else holds; `purpose` keeps different uses apart. */
  sign(purpose: string, text: string): string;
  /** The same, for what means something only in these stores: it is worth nothing after a move to others. */
  signHere(purpose: string, text: string): string;
  /** Compares in constant time. */
  same(a: string, b: string): boolean;
  readonly log: Log;
}
