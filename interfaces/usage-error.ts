/** A command, or a setting that the command needs, is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
