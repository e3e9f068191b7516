/** Kinds of durable state that are not events: wrapped keys (`vault`) and the progress of processes (`processes`). */
export type Bucket = 'vault' | 'processes';

export type Entry = { readonly value: string; readonly revision: number };
export const noEntry = 0;

export interface StateStore {
  get(bucket: Bucket, id: string): Promise<Entry | null>;
  /** Returns the next ids after the id `after`, in order; empty at the end. */
  ids(bucket: Bucket, after: string): Promise<readonly string[]>;
  /**
   * Writes an entry durably if its revision is `expected` (`noEntry` for a new entry); its new revision is `expected +
   * 1`. Otherwise returns false and writes nothing.
   */
  put(bucket: Bucket, id: string, value: string, expected: number): Promise<boolean>;
  /** Removes an entry without leaving a copy of its value in the store's files. */
  destroy(bucket: Bucket, id: string): Promise<void>;
  close(): Promise<void>;
}
