import type { Counts, ShownEntry } from './entries.js';

/** Statement to write to a file. */
export type StatementFile = {
  readonly title: string;
  /** Facts about the statement by name, such as its wallet and its period, in the order in which they are shown. */
  readonly facts: Readonly<Record<string, string>>;
  /**
   * End of the period in Unix seconds. PDF files have this time as their creation date, so that equal statements result
   * in equal bytes.
   */
  readonly endTime: number;
  /** Entries in batches of any length. */
  readonly entries: AsyncIterable<readonly ShownEntry[]>;
  /** Totals, complete after all entries were read. */
  readonly counts: Counts;
};

/** File format of statements. Yields the file in chunks while the entries are read. */
export type Format = (statement: StatementFile) => AsyncIterable<string | Uint8Array>;
