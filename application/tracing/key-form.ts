import { shortApiKey } from '../commands/api-key.js';

const anyKey = /\b(?:ck|gt)_[0-9a-f]{32}_[0-9a-f]{32}\b/g;
const keyPattern = new RegExp(`^${anyKey.source}$`);

/**
 * Returns the short form of an API key or gateway token, which identifies the key in events too. Returns undefined for
 * any other text, which may be a secret that was sent in place of the key.
 */
export const shortKey = (key: string | undefined): string | undefined =>
  key !== undefined && keyPattern.test(key) ? shortApiKey(key) : undefined;

/** Maximum length of an explanation in the log. */
const maxDetailLength = 300;
const controlCharacters = /\p{Cc}|\p{Cf}|[\u2028\u2029]/gu;
const escaped = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** Escapes characters that would break a line or change the display of a terminal. */
export const printable = (text: string) => text.replace(controlCharacters, escaped);

/** Shortens an explanation for the log, escapes control characters, and replaces keys with their short form. */
export const loggableDetail = (detail: string): string => {
  const text = printable(detail.replace(anyKey, shortApiKey));
  return text.length > maxDetailLength ? `${text.slice(0, maxDetailLength)}…` : text;
};
