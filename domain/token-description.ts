/** Description of a fungible token; a part that is missing or makes no sense is absent. */
export type TokenDescription = { readonly name?: string; readonly symbol?: string; readonly decimals?: number };

const maxCharacters = 200;
const maxDecimals = 255;

/** Cuts a name that a contract or its document gives, and drops what cannot be stored and returned exactly. */
export const shortName = (text: string): string =>
  [
    ...text
      .slice(0, 4 * maxCharacters)
      .toWellFormed()
      .replaceAll('\0', ''),
  ]
    .slice(0, maxCharacters)
    .join('');

const nameIn = (value: unknown) => (typeof value === 'string' ? shortName(value) : '');
const decimalsIn = (value: unknown) => {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return /^\d{1,3}$/.test(text) && Number(text) <= maxDecimals ? Number(text) : undefined;
};

/** Reads a description from values that nobody vouches for. */
export const descriptionOf = (said: Readonly<Record<string, unknown>>): TokenDescription => {
  const [name, symbol, decimals] = [nameIn(said.name), nameIn(said.symbol), decimalsIn(said.decimals)];
  return { ...(name && { name }), ...(symbol && { symbol }), ...(decimals !== undefined && { decimals }) };
};

/** Tells whether nothing is left to ask for. */
export const isWhole = ({ name, symbol, decimals }: TokenDescription) =>
  name !== undefined && symbol !== undefined && decimals !== undefined;
