/** Thrown for an invalid command line or setting. Its message is printed without a stack trace. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
