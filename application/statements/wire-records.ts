import type { Asset } from '../../domain/asset.js';
import type { Variant } from '../../domain/variant.js';
import type { Describe } from '../assets/token-descriptions.js';
import { type AssetRecord, showAsset, showTransfer, type TransferRecord } from '../assets/wire-records.js';
import type { Correction, Line } from './lines.js';
import type { Direction, StatementMovement } from './movements.js';

/** Correction of a balance by reconciliation. Amounts are decimal numbers of smallest units. */
export type CorrectionRecord = { block: number; expected: string; found: string };

/** Line of a statement. Amounts are decimal numbers of smallest units. */
export type LineRecord = Pick<AssetRecord, 'address' | 'asset_type' | 'asset_metadata'> & {
  opening_balance: string;
  incoming: string;
  outgoing: string;
  fees: string;
  /** Net amount, with its sign, of movements that are not confirmed at the end of the period. */
  in_transit: string;
  closing_balance: string;
  /** Amount with its sign: `closing_balance` - `opening_balance` - `incoming` + `outgoing` + `fees`. */
  unexplained: string;
  reasons: string[];
  /** Absent without a correction. */
  corrections?: CorrectionRecord[];
};
export type MovementRecord = { transfer: TransferRecord; address: string; direction: Direction; fee: string };

const showAssetOf = (variant: Variant, address: string, asset: Asset, describe: Describe) => {
  const balance = { wallet_id: '', address, user_friendly_address: '', asset, balance: '0' };
  const { asset_type, asset_metadata } = showAsset(variant, balance, describe);
  return { address, asset_type, ...(asset_metadata && { asset_metadata }) };
};

const showCorrection = ({ block, expected, found }: Correction): CorrectionRecord => ({
  block,
  expected: String(expected),
  found: String(found),
});

export const showLine = (variant: Variant, line: Line, describe: Describe): LineRecord => ({
  ...showAssetOf(variant, line.address, line.asset, describe),
  opening_balance: String(line.opening),
  incoming: String(line.incoming),
  outgoing: String(line.outgoing),
  fees: String(line.fees),
  in_transit: String(line.inTransit),
  closing_balance: String(line.closing),
  unexplained: String(line.unexplained),
  reasons: [...line.reasons],
  ...(line.corrections.length > 0 && { corrections: line.corrections.map(showCorrection) }),
});

export const showMovement = (variant: Variant, movement: StatementMovement, describe: Describe): MovementRecord => ({
  transfer: showTransfer(variant, movement.document, describe),
  address: movement.address,
  direction: movement.direction,
  fee: String(movement.fee),
});
