import type {
  Amount,
  ShownAsset,
  ShownEntry,
  ShownLine,
  ShownMovement,
} from '../../../interfaces/cli/audit/statement/entries.js';
import type { Format, StatementFile } from '../../../interfaces/cli/audit/statement/format.js';

export const coin: ShownAsset = { address: `0x${'a'.repeat(40)}`, asset_type: 'ASSET_TYPE_C', token: '', symbol: '' };
const token: ShownAsset = {
  ...coin,
  asset_type: 'ASSET_TYPE_ERC20',
  token: `0x${'c'.repeat(40)}`,
  symbol: '=SUM(1) 中',
};
const amount = (units: string, decimal: string): Amount => ({ units, decimal });
const none = amount('0', '0');

export const movement = (n: number, change: Partial<ShownMovement> = {}): ShownMovement => ({
  kind: 'movement',
  asset: coin,
  amount: amount('1000000000000000001', '1.000000000000000001'),
  time: 1_767_225_600 + n,
  block: n,
  transaction: `0x${String(n).padStart(64, '0')}`,
  counterparty: `0x${'b'.repeat(40)}`,
  direction: n % 2 === 0 ? 'incoming' : 'outgoing',
  fee: n % 2 === 0 ? none : amount('42000000000000', '0.000042'),
  state: 'confirmed',
  ...change,
});
export const line = (change: Partial<ShownLine> = {}): ShownLine => ({
  kind: 'line',
  asset: coin,
  amounts: {
    opening: none,
    incoming: amount('500000000000000000', '0.5'),
    outgoing: none,
    fees: none,
    in_transit: none,
    closing: amount('500000000000000000', '0.5'),
    unexplained: none,
  },
  isExplained: true,
  reasons: [],
  corrections: [],
  ...change,
});

/**
 * Returns the entries of an address with a coin whose balance is explained, and a token whose balance is not.
 */
export const shownEntries = (movements: number): readonly ShownEntry[] => {
  const unexplained = { ...line().amounts, unexplained: amount('-7', '-0.000007') };
  return [
    { kind: 'opening', asset: coin, balance: none },
    { kind: 'opening', asset: token, balance: none },
    ...Array.from({ length: movements }, (_, n) => movement(n + 1)),
    movement(movements + 1, { asset: token, amount: amount('1234567', ''), state: 'in_transit' }),
    line(),
    line({
      asset: token,
      amounts: unexplained,
      isExplained: false,
      reasons: ['unreadable_block', 'balance_drifted'],
      corrections: [{ block: 77, amount: amount('-7', '-0.000007') }],
    }),
  ];
};

export const statementFile = (entries: readonly ShownEntry[], name = 'treasury'): StatementFile => ({
  title: `Statement of wallet ${name}`,
  facts: {
    Organization: `Acme (org_${'1'.repeat(32)})`,
    Wallet: `${name} (wal_${'2'.repeat(32)})`,
    API: 'C',
    Period: 'after 2026-01-01T00:00:00.000Z (block 0) up to 2026-02-01T00:00:00.000Z (block 1000), UTC',
  },
  endTime: 1_769_904_000,
  entries: (async function* () {
    for (const entry of entries) yield [entry];
  })(),
  counts: {
    movements: entries.filter(({ kind }) => kind === 'movement').length,
    lines: entries.filter(({ kind }) => kind === 'line').length,
    unexplained: entries.filter((entry) => entry.kind === 'line' && !entry.isExplained).length,
  },
});

/** Returns the bytes that a format writes for a statement. */
export const bytesOf = async (format: Format, statement: StatementFile): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of format(statement)) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
};
