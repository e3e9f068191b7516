/**
 * Number of characters of an authentication code. The code is the last member of an event's stored metadata, where it
 * is found without parsing. The other members are the same for all events of an append and are therefore converted only
 * once.
 */
const codeLength = 22;
const [before, after] = [',"mac":"', '"}'];
const suffixLength = before.length + codeLength + after.length;

/** Adds an event's authentication code to the JSON text of its metadata, which has at least one member. */
export const withCode = (metadata: string, mac: string | undefined): string =>
  mac === undefined ? metadata : `${metadata.slice(0, -1)}${before}${mac}${after}`;

/**
 * Splits a stored text into the JSON text of the metadata and the code. The code cannot be confused with the end of a
 * value, because no JSON string contains an unescaped quote.
 */
export const splitCode = (stored: string): { readonly metadata: string; readonly mac?: string } => {
  const start = stored.length - suffixLength;
  if (start < 0 || !stored.startsWith(before, start) || !stored.endsWith(after)) return { metadata: stored };
  return { metadata: `${stored.slice(0, start)}}`, mac: stored.slice(start + before.length, -after.length) };
};
