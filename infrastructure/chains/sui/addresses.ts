const hexDigits = 64;
const shortDigits = 40;
const longPrefix = `0x${'0'.repeat(hexDigits - shortDigits)}`;

/** Pads an address to 64 hex digits, in lower case. Requests may use the short form of the same address. */
export const fullAddress = (address: string) => `0x${address.slice(2).toLowerCase().padStart(hexDigits, '0')}`;

/** Sender of the network's own transactions. */
export const system = fullAddress('0x0');

/** Returns the forms in which an address may be registered: full and, if possible, short. Each is stored as it was sent. */
export const formsOf = (address: string): readonly string[] => {
  const full = fullAddress(address);
  return full.startsWith(longPrefix) ? [full, `0x${full.slice(longPrefix.length)}`] : [full];
};
