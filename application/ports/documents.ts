/** Documents hosted by third parties, such as the description of a token. */
export interface Documents {
  /** Fetches the text at a URL; null when the request fails (rejected, too large, timed out, not found). */
  read(url: string): Promise<string | null>;
}
