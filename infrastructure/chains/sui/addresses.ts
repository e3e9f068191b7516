const hexDigits = 64;
const shortDigits = 40;
const longPrefix = `0x${'0'.repeat(hexDigits - shortDigits)}`;

/** As the chain writes it; requests may give the short form, which means the same address. */
export const fullAddress = (address: string) => `0x${address.slice(2).toLowerCase().padStart(hexDigits, '0')}`;

/** Whoever sends for the network itself. */
export const system = fullAddress('0x0');

/** The forms in which an address may have been registered: each is stored as it was sent. */
export const formsOf = (address: string): readonly string[] => {
  const full = fullAddress(address);
  return full.startsWith(longPrefix) ? [full, `0x${full.slice(longPrefix.length)}`] : [full];
};
