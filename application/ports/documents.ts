/** Texts hosted by others, such as the description of a token. */
export interface Documents {
  /** Fetches the text at a URL; null when that fails (refused, too large, too slow, not found). */
  read(url: string): Promise<string | null>;
}
