/** Texts that others keep, such as the description of a token. */
export interface Documents {
  /** The text behind a URL; null when it cannot be had (refused, too large, too slow, not found). */
  read(url: string): Promise<string | null>;
}
