const hexDigits = 64;
const shortDigits = 40;
const longPrefix = `0x${'0'.repeat(hexDigits - shortDigits)}`;

/** Writes an address in full length; requests may use the short form of the same address. */
export const fullAddress = (address: string) => `0x${address.slice(2).toLowerCase().padStart(hexDigits, '0')}`;

/** Sender of the network's own transactions. */
export const system = fullAddress('0x0');

/** Lists the forms in which an address may have been registered, because each is stored as it was sent. */
export const formsOf = (address: string): readonly string[] => {
  const full = fullAddress(address);
  return full.startsWith(longPrefix) ? [full, `0x${full.slice(longPrefix.length)}`] : [full];
};
