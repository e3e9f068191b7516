/** Characters of Windows-1252 that are not in Latin-1. The standard fonts of PDF contain them. */
const windowsCharacters = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');
const isAscii = /^[\x20-\x7e]*$/;
const isShown = (character: string) =>
  /[\x20-\x7e\u00a0-\u00ac\u00ae-\u00ff]/.test(character) || windowsCharacters.has(character);
const codeOf = (character: string) =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

/**
 * Replaces characters that the standard fonts lack with their code points, such as [U+4E2D], so that no character is
 * lost.
 */
export const printable = (text: string) =>
  isAscii.test(text) ? text : [...text].map((one) => (isShown(one) ? one : codeOf(one))).join('');

/** Returns an ASCII text as hexadecimal digits; null if the text contains other characters. */
export const asciiHex = (text: string) => (isAscii.test(text) ? Buffer.from(text, 'latin1').toString('hex') : null);

/** Breaks a text into lines of at most `width` characters; further lines are indented. */
export const brokenAt = (text: string, width: number, indent: number): readonly string[] => {
  const lines = [text.slice(0, width)];
  const rest = Math.max(1, width - indent);
  for (let at = width; at < text.length; at += rest) lines.push(' '.repeat(indent) + text.slice(at, at + rest));
  return lines;
};
