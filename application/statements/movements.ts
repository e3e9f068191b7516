import type { Asset } from '../../domain/asset.js';
import type { TransferDocument } from '../../projections/transfers.js';
import type { ActivityBlock } from './activity.js';

export type Direction = 'incoming' | 'outgoing';

/** One side of a transfer, with the fee that the address paid for its transaction. */
export type StatementMovement = {
  readonly document: Pick<TransferDocument, 'transfer' | 'state' | 'block_number' | 'block_time'>;
  readonly address: string;
  readonly direction: Direction;
  /** Paid fee in smallest units of the chain's own coin; 0 if another movement of the transaction shows the fee. */
  readonly fee: bigint;
  /** Change of the balance of the address in `transfer.asset`, without the fee. */
  readonly change: bigint;
};

const native: Asset = { standard: 'native' };

const sides = { incoming: ['incoming'], outgoing: ['outgoing'], both: ['outgoing', 'incoming'] } as const;
/**
 * Returns the directions that a transfer document shows. On TON, a transfer has one document per side, even if sender
 * and receiver are the same address.
 */
const directionsOf = ({ transfer: { details } }: TransferDocument): readonly Direction[] => {
  if (details.transfer_type === 'TRANSFER_TYPE_INCOMING') return sides.incoming;
  return details.transfer_type === 'TRANSFER_TYPE_OUTGOING' ? sides.outgoing : sides.both;
};

/** Adds the sides of a transfer that belong to the selected address, or to any address of the wallet. */
const addSides = (movements: StatementMovement[], document: TransferDocument, selected: string | undefined) => {
  const { transfer, own_from, own_to } = document;
  for (const direction of directionsOf(document)) {
    const address = direction === 'outgoing' ? own_from : own_to;
    if (address === '' || (selected !== undefined && address !== selected)) continue;
    const value = transfer.failed ? 0n : BigInt(transfer.value);
    const change = direction === 'outgoing' ? -value : value;
    movements.push({ document, address, direction, fee: 0n, change });
  }
};

/** Builds a movement that shows only a fee, for a transaction that moved none of the selected assets. */
const feeAlone = (
  { number, time }: ActivityBlock,
  address: string,
  transaction: string,
  isPending: boolean,
): Omit<StatementMovement, 'fee'> => ({
  document: {
    transfer: {
      transaction,
      index: 'fee',
      asset: native,
      from: address,
      to: '',
      value: '0',
      fee: '0',
      failed: false,
      details: { nonce: '' },
    },
    state: isPending ? 'PENDING' : 'SUCCESS',
    block_number: number,
    block_time: time,
  },
  address,
  direction: 'outgoing',
  change: 0n,
});

/** Ranks the movements of a transaction. The movement with the lowest rank shows the fee. */
const rankOf = ({ direction, document }: StatementMovement) =>
  (direction === 'outgoing' ? 0 : 2) + (document.transfer.asset.standard === 'native' ? 0 : 1);

export type Selection = {
  /** Address whose movements are selected; all addresses of the wallet if absent. */
  readonly address: string | undefined;
  readonly hasAsset: (asset: Asset) => boolean;
  /** False if the API's transfer records cannot show that a transfer failed; failed transfers are then left out. */
  readonly showsFailed: boolean;
};

/** Returns, by address and transaction, the index of the movement that shows the fee. */
const feePlaces = (movements: readonly StatementMovement[]) => {
  const places = new Map<string, number>();
  for (const [i, movement] of movements.entries()) {
    const key = feeKey(movement.address, movement.document.transfer.transaction);
    const before = movements[places.get(key) ?? -1];
    if (!before || rankOf(movement) < rankOf(before)) places.set(key, i);
  }
  return places;
};
const feeKey = (address: string, transaction: string) => `${address} ${transaction}`;

const sidesIn = ({ transfers }: ActivityBlock, { address, hasAsset, showsFailed }: Selection) => {
  const found: StatementMovement[] = [];
  for (const document of transfers) {
    const { asset, failed } = document.transfer;
    if (hasAsset(asset) && (showsFailed || !failed)) addSides(found, document, address);
  }
  return found;
};

/**
 * Returns the movements of a block, in the order of its documents. A fee is part of a movement of the address and
 * transaction that paid it, or is a movement of its own if there is no such movement.
 */
export const movementsIn = (
  block: ActivityBlock,
  selection: Selection,
  isPending: boolean,
): readonly StatementMovement[] => {
  const { address: selected, hasAsset } = selection;
  const isSelected = ({ address }: { readonly address: string }) => selected === undefined || selected === address;
  const found = sidesIn(block, selection);
  const payers = block.touches.filter((touch) => touch.fees && isSelected(touch));
  if (payers.length === 0) return found;
  const places = feePlaces(found);
  for (const { address, fees = [] } of payers)
    for (const { transaction, value } of fees) {
      const fee = BigInt(value);
      const place = places.get(feeKey(address, transaction));
      if (place !== undefined) found[place] = { ...(found[place] as StatementMovement), fee };
      else if (fee !== 0n && hasAsset(native)) found.push({ ...feeAlone(block, address, transaction, isPending), fee });
    }
  return found;
};
