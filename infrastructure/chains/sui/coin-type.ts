const pattern = /^0x[0-9a-fA-F]{1,64}::[A-Za-z_]\w*::[A-Za-z_]\w*(?:<[\w:<>, ]+>)?$/;
const packages = /0x([0-9a-fA-F]{1,64})(?=::)/g;

/**
 * Normalizes a coin type: adds the leading zeros of its package, which some nodes omit. Null if the text is not a coin
 * type.
 */
export const normalCoinType = (input: string): string | null =>
  pattern.test(input)
    ? input.replaceAll(' ', '').replace(packages, (_, digits: string) => `0x${digits.toLowerCase().padStart(64, '0')}`)
    : null;

/** Normalizes a coin type from a node. Text in an unknown format stays as it is and counts as a coin of its own. */
export const coinTypeOf = (written: string) => normalCoinType(written) ?? written;

export const nativeCoinType = `0x${'2'.padStart(64, '0')}::sui::SUI`;
