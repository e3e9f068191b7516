import { type Asset, assetKey } from '../../asset.js';
import type { Activity, Holding, Imported, PaidFee, Seen, Transfer } from './ledger-data.js';

/** Transfers of one block, and touches: possible changes of a balance without a transfer, such as a fee. */
export type Observation = {
  readonly transfers: readonly Seen[];
  readonly touches: readonly {
    readonly address: string;
    readonly reason: string;
    readonly asset?: Asset;
    readonly fees?: readonly PaidFee[];
  }[];
};
/**
 * Part of a ledger that is compared with an observation. `holdings` are the balances that its transfers and touches may
 * have changed, `payers` the addresses whose fees it records.
 */
type Recorded = {
  readonly transfers: readonly Seen[];
  readonly holdings: readonly Holding[];
  readonly payers?: readonly string[];
};

const native: Asset = { standard: 'native' };
export const transferKey = ({ transaction, index }: Transfer) => `${transaction} ${index}`;
export const holdingKey = ({ address, asset }: Holding) => `${address} ${assetKey(asset)}`;

/** Returns the touches that the ledger does not have. */
export const newTouches = ({ holdings, payers = [] }: Recorded, touches: Observation['touches']) => {
  const held = new Set(holdings.map(holdingKey));
  const paid = new Set(payers);
  return touches.filter(({ address, asset = native, fees }) =>
    fees ? !paid.has(address) : !held.has(holdingKey({ address, asset })),
  );
};

/**
 * Returns the part of an imported block that the ledger does not have. A transfer that the ledger has, but only for
 * another address of the wallet, is included again with both addresses.
 */
export const notImported = (ledger: Recorded, { transfers, touches }: Observation): Observation => {
  const known = new Map(ledger.transfers.map(({ transfer, own }) => [transferKey(transfer), own]));
  const left = transfers.flatMap(({ transfer, own }) => {
    const before = known.get(transferKey(transfer)) ?? [];
    const added = own.filter((address) => !before.includes(address));
    return added.length > 0 ? [{ transfer, own: [...before, ...added] }] : [];
  });
  return { transfers: left, touches: newTouches(ledger, touches) };
};

/**
 * Merges imported transfers into the transfers of a ledger. A transfer that the ledger already has gets the addresses
 * of the imported transfer.
 */
export const withImported = (transfers: readonly Seen[], imported: readonly Seen[]): readonly Seen[] => {
  const all = new Map(transfers.map((seen) => [transferKey(seen.transfer), seen]));
  for (const { transfer, own } of imported) all.set(transferKey(transfer), { transfer, own });
  return [...all.values()];
};

/**
 * Splits consecutive events into parts, each with either only imported events or only events that the follower
 * observed.
 */
export const partsOf = <T extends { readonly imported?: true }>(run: readonly T[]): readonly (readonly T[])[] => {
  const parts: T[][] = [];
  for (const one of run) {
    const last = parts.at(-1);
    if (last && last[0]?.imported === one.imported) last.push(one);
    else parts.push([one]);
  }
  return parts;
};

/**
 * Returns the events of an observation. The caller passes the event types as literals, because the generator of
 * docs/events.md searches commands for such literals.
 */
export const observed = (
  [transferred, touched]: readonly ['TransferObserved', 'BalanceTouched'],
  { walletId, block }: Activity,
  { transfers, touches }: Observation,
  mark: Imported,
) => [
  ...transfers.map((one) => ({ type: transferred, data: { walletId, block, ...one, ...mark } })),
  ...touches.map(({ address, reason, asset = native, fees }) => ({
    type: touched,
    data: { walletId, block, address, asset, reason, ...(fees && { fees }), ...mark },
  })),
];
