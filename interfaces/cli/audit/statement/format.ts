import type { Counts, ShownEntry } from './entries.js';

/** Statement to write to a file. */
export type StatementFile = {
  readonly title: string;
  /** Facts about the statement by name, such as its wallet and its period, in the order in which they are shown. */
  readonly facts: Readonly<Record<string, string>>;
  /** End of the period in Unix seconds. Files carry it as their date, so that the same statement has the same bytes. */
  readonly endTime: number;
  /** Entries in batches of any length. */
  readonly entries: AsyncIterable<readonly ShownEntry[]>;
  /** Complete once all entries were read. */
  readonly counts: Counts;
};

/** Writes a statement while its entries are read. */
export type Format = (statement: StatementFile) => AsyncIterable<string | Uint8Array>;
