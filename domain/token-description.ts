/** Metadata of a fungible token. A missing or invalid part is absent. */
export type TokenDescription = {
  /** Name of the token; at most 200 characters. */
  readonly name?: string;
  /** Symbol of the token; at most 200 characters. */
  readonly symbol?: string;
  /** Number of decimals of the token, from 0 to 255. */
  readonly decimals?: number;
};

const maxCharacters = 200;
const maxDecimals = 255;

/**
 * Limits a name from a contract or its metadata to 200 characters, removes NUL and replaces unpaired surrogates.
 */
export const truncateName = (text: string): string =>
  [
    ...text
      .slice(0, 4 * maxCharacters)
      .toWellFormed()
      .replaceAll('\0', ''),
  ]
    .slice(0, maxCharacters)
    .join('');

const nameIn = (value: unknown) => (typeof value === 'string' ? truncateName(value) : '');
const decimalsIn = (value: unknown) => {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return /^\d{1,3}$/.test(text) && Number(text) <= maxDecimals ? Number(text) : undefined;
};

/** Reads a token description from untrusted values. Missing and invalid parts are omitted. */
export const descriptionOf = (given: Readonly<Record<string, unknown>>): TokenDescription => {
  const [name, symbol, decimals] = [nameIn(given.name), nameIn(given.symbol), decimalsIn(given.decimals)];
  return { ...(name && { name }), ...(symbol && { symbol }), ...(decimals !== undefined && { decimals }) };
};

export const isComplete = ({ name, symbol, decimals }: TokenDescription) =>
  name !== undefined && symbol !== undefined && decimals !== undefined;
