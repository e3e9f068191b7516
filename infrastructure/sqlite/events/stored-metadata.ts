/**
 * Stored text of an event's metadata. The authentication code stands at its end, where it is found without parsing, so that
 * the events of an append, whose metadata is the same but for the code, are written and read with one conversion.
 */
const codeLength = 22;
const [before, after] = [',"mac":"', '"}'];
const suffixLength = before.length + codeLength + after.length;

/** Adds a code to the JSON text of metadata, which has at least one member. */
export const withCode = (metadata: string, mac: string | undefined): string =>
  mac === undefined ? metadata : `${metadata.slice(0, -1)}${before}${mac}${after}`;

/** Splits a stored text into the JSON text of the metadata and the code. No JSON string contains an unescaped quote. */
export const splitCode = (stored: string): { readonly metadata: string; readonly mac?: string } => {
  const start = stored.length - suffixLength;
  if (start < 0 || !stored.startsWith(before, start) || !stored.endsWith(after)) return { metadata: stored };
  return { metadata: `${stored.slice(0, start)}}`, mac: stored.slice(start + before.length, -after.length) };
};
