const pattern = /^0x[0-9a-fA-F]{1,64}::[A-Za-z]\w*::[A-Za-z]\w*(?:<[\w:<>, ]+>)?$/;
const packages = /0x([0-9a-fA-F]{1,64})(?=::)/g;

/** Nodes write a coin type with and without the leading zeros of its package; here it always has them. Null when it is none. */
export const normalCoinType = (input: string): string | null =>
  pattern.test(input)
    ? input.replaceAll(' ', '').replace(packages, (_, digits: string) => `0x${digits.toLowerCase().padStart(64, '0')}`)
    : null;

export const nativeCoinType = `0x${'2'.padStart(64, '0')}::sui::SUI`;
