const keyForm = /^audpk_[A-Za-z0-9+/]{43}=$/;

/** Returns whether a text has the form of a public key. */
export const isKey = (text: string) => keyForm.test(text);

/** Maximum number of differing characters that counts as a typing error. Two independent keys differ in about 42. */
const maxTypos = 8;

/**
 * Returns whether two keys differ in so few characters that one key must be a mistyped form of the other key. Two
 * generated keys are never that similar.
 */
export const isMistyped = (given: string, key: string) =>
  given !== key &&
  given.length === key.length &&
  [...given].filter((character, n) => character !== key[n]).length <= maxTypos;
