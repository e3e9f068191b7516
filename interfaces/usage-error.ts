/** Refuses a command line or a setting; the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
