const pattern = /^0x[0-9a-fA-F]{1,64}::[A-Za-z_]\w*::[A-Za-z_]\w*(?:<[\w:<>, ]+>)?$/;
const packages = /0x([0-9a-fA-F]{1,64})(?=::)/g;

/** Nodes write a coin type with and without the leading zeros of its package; here it always has them. Null when it is none. */
export const normalCoinType = (input: string): string | null =>
  pattern.test(input)
    ? input.replaceAll(' ', '').replace(packages, (_, digits: string) => `0x${digits.toLowerCase().padStart(64, '0')}`)
    : null;

/** As a node wrote it: what it may have written otherwise than is known here is another coin, and no reason to stop. */
export const coinTypeOf = (written: string) => normalCoinType(written) ?? written;

export const nativeCoinType = `0x${'2'.padStart(64, '0')}::sui::SUI`;
