/** Decimal digits of the largest 256-bit number. */
const digits = 78;

/** Formats a nonce as text that sorts in numerical order. */
export const padded = (nonce: bigint): string => nonce.toString().padStart(digits, '0');
