const hexDigits = 64;
const shortDigits = 40;
const longPrefix = `0x${'0'.repeat(hexDigits - shortDigits)}`;

/** Pads an address to 64 hex digits, in lower case. Requests may use the short form of 40 digits. */
export const fullAddress = (address: string) => `0x${address.slice(2).toLowerCase().padStart(hexDigits, '0')}`;

/** Sender of the network's own transactions. */
export const system = fullAddress('0x0');

/**
 * Returns the forms in which an address may be registered: 64 hex digits and, if the first 24 are zeros, also 40. A
 * registered address is stored in the form in which it was sent.
 */
export const formsOf = (address: string): readonly string[] => {
  const full = fullAddress(address);
  return full.startsWith(longPrefix) ? [full, `0x${full.slice(longPrefix.length)}`] : [full];
};
