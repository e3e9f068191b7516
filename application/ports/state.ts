/** What must survive a rebuild but is not history: wrapped keys and what processes remember. */
export type Bucket = 'vault' | 'processes';

export type Entry = { readonly value: string; readonly revision: number };
export const noEntry = 0;

export interface StateStore {
  get(bucket: Bucket, id: string): Promise<Entry | null>;
  /** Some of the ids that sort after the given one, in order; none when there are no more. */
  ids(bucket: Bucket, after: string): Promise<readonly string[]>;
  /** Durable. Writes if the entry is at `expected` (`noEntry`: there is none); false, and nothing written, otherwise. */
  put(bucket: Bucket, id: string, value: string, expected: number): Promise<boolean>;
  /** Leaves no copy of the value behind in the store's files. */
  destroy(bucket: Bucket, id: string): Promise<void>;
  close(): Promise<void>;
}
