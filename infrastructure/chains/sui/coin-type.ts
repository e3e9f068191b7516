const pattern = /^0x[0-9a-fA-F]{1,64}::[A-Za-z_]\w*::[A-Za-z_]\w*(?:<[\w:<>, ]+>)?$/;
const packages = /0x([0-9a-fA-F]{1,64})(?=::)/g;

/**
 * Writes a coin type with the leading zeros of its package, which some nodes omit; null if the text is no coin type.
 */
export const normalCoinType = (input: string): string | null =>
  pattern.test(input)
    ? input.replaceAll(' ', '').replace(packages, (_, digits: string) => `0x${digits.toLowerCase().padStart(64, '0')}`)
    : null;

/** Normalizes a node's coin type; a form unknown here is kept as it is and counts as another coin. */
export const coinTypeOf = (written: string) => normalCoinType(written) ?? written;

export const nativeCoinType = `0x${'2'.padStart(64, '0')}::sui::SUI`;
