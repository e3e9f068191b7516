/** Item of RLP, the encoding of transactions: bytes in hex without prefix, or a list. */
type Item = string | readonly Item[];

const numberAt = (hex: string, from: number, length: number) => Number.parseInt(hex.slice(from, from + length), 16);

/** Returns the start and end of an item's content, as offsets in hex digits, and whether the item is a list. */
const contentAt = (hex: string, at: number) => {
  const head = numberAt(hex, at, 2);
  if (head < 0x80) return { from: at, to: at + 2, isList: false };
  const isList = head >= 0xc0;
  const size = head - (isList ? 0xc0 : 0x80);
  if (size <= 55) return { from: at + 2, to: at + 2 + 2 * size, isList };
  const digits = 2 * (size - 55);
  const from = at + 2 + digits;
  return { from, to: from + 2 * numberAt(hex, at + 2, digits), isList };
};

const itemsIn = (hex: string, from: number, to: number): readonly Item[] => {
  const items: Item[] = [];
  for (let at = from; at < to; ) {
    const content = contentAt(hex, at);
    if (!(content.to > at && content.to <= to)) throw new Error('The data is not an encoded transaction.');
    items.push(content.isList ? itemsIn(hex, content.from, content.to) : hex.slice(content.from, content.to));
    at = content.to;
  }
  return items;
};

/**
 * Fields of an unsigned transaction in their order, keyed by the type byte in hex. Legacy transactions have no type
 * byte: their key is empty.
 */
const layouts: Readonly<Record<string, readonly string[]>> = {
  '': ['nonce', 'gasPrice', 'gas', 'to', 'value', 'data', 'chainId'],
  '01': ['chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'data', 'accessList'],
  '02': ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', 'gas', 'to', 'value', 'data', 'accessList'],
};
const textFields: readonly string[] = ['to', 'data'];

const decode = (transaction: string) => {
  const hex = transaction.slice(2);
  const type = numberAt(hex, 0, 2) < 0x80 ? hex.slice(0, 2) : '';
  const [items] = itemsIn(hex, type.length, hex.length);
  if (!Array.isArray(items)) throw new Error('The data is not an encoded transaction.');
  return { type, items: items as readonly Item[] };
};

const quantity = (hex: string) => `0x${hex.replace(/^0+/, '') || '0'}`;
const entryOf = ([address, keys]: readonly Item[]) => ({
  address: `0x${address}`,
  storageKeys: (keys as readonly string[]).map((key) => `0x${key}`),
});

/** Returns the parameter of `eth_signTransaction` for the bytes of an unsigned transaction. */
export const requestOf = (from: string, unsigned: string): object => {
  const { type, items } = decode(unsigned);
  const layout = layouts[type];
  if (!layout) throw new Error(`The console does not know transactions of the type 0x${type}.`);
  const fields = layout.map((name, index) => {
    const item = items[index] ?? '';
    if (typeof item !== 'string') return [name, item.map((entry) => entryOf(entry as readonly Item[]))];
    return [name, textFields.includes(name) ? `0x${item}` : quantity(item)];
  });
  return { from, ...Object.fromEntries(fields), ...(type && { type: `0x${Number(type)}` }) };
};

/** Returns the signature of a signed transaction as r‖s‖v. The last three fields of the transaction are v, r and s. */
export const signatureIn = (signed: string): string => {
  const [v, r, s] = decode(signed)
    .items.slice(-3)
    .map((item) => (typeof item === 'string' ? item : ''));
  if (!r || !s || v === undefined) throw new Error('The wallet returned a transaction without a signature.');
  return `0x${r.padStart(64, '0')}${s.padStart(64, '0')}${v.padStart(2, '0')}`;
};
