import type { Document } from 'bson';

const codeNames: Readonly<Record<number, string>> = {
  2: 'BadValue',
  9: 'FailedToParse',
  20: 'IllegalOperation',
  24: 'LockTimeout',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  43: 'CursorNotFound',
  50: 'MaxTimeMSExpired',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  89: 'NetworkTimeout',
  91: 'ShutdownInProgress',
  112: 'WriteConflict',
  189: 'PrimarySteppedDown',
  225: 'TransactionTooOld',
  246: 'SnapshotUnavailable',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  262: 'ExceededTimeLimit',
  263: 'OperationNotSupportedInTransaction',
  10107: 'NotWritablePrimary',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  11600: 'InterruptedAtShutdown',
  11602: 'InterruptedDueToReplStateChange',
  13435: 'NotPrimaryNoSecondaryOk',
  13436: 'NotPrimaryOrSecondary',
};

const transientCodes = new Set([24, 112, 246, 267]);
const retryableCodes = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

type CommandError = Error & { readonly code: number; readonly details: Document };

export const commandError = (code: number, message: string, details: Document = {}): CommandError =>
  Object.assign(new Error(message), { code, details });

/** Returns the fields of an error on the wire. Errors of the query library become BadValue, like those of a server. */
export const errorFields = (error: unknown): Document => {
  const { message, code = 2, details = {} } = error as Partial<CommandError>;
  return { code, codeName: codeNames[code] ?? `Location${code}`, errmsg: message ?? String(error), ...details };
};

export const writeConflict = () =>
  commandError(112, 'Caused by :: Write conflict during plan execution and yielding is disabled.');

export const isWriteConflict = (error: unknown) => (error as Partial<CommandError>).code === 112;

export const noSuchTransaction = (number: unknown) =>
  commandError(251, `Given transaction number ${number} does not match any in-progress transactions.`);

/**
 * Returns the labels that a member of a replica set puts on an error. The driver uses the labels to decide whether to
 * retry.
 */
export const labelsFor = (command: Document, code: number): readonly string[] => {
  const endsTransaction = 'commitTransaction' in command || 'abortTransaction' in command;
  const inTransaction = command.autocommit === false;
  if (inTransaction && (transientCodes.has(code) || code === 251)) return ['TransientTransactionError'];
  if (!retryableCodes.has(code) || command.txnNumber === undefined) return [];
  return [inTransaction && !endsTransaction ? 'TransientTransactionError' : 'RetryableWriteError'];
};

type Held = Error & { readonly released: Promise<void> };

/**
 * Makes the error for a write to a document that an open transaction holds. A write outside transactions waits for
 * `released` and then runs again.
 */
export const heldUntil = (released: Promise<void>): Held =>
  Object.assign(new Error('The document is held by an open transaction.'), { released });

export const waitOf = (error: unknown): Promise<void> | undefined => (error as Partial<Held>).released;
