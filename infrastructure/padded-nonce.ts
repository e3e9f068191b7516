/** Enough for 256 bits, the most that a node can say. */
const digits = 78;

/** As text that sorts like the number. */
export const padded = (nonce: bigint): string => nonce.toString().padStart(digits, '0');
