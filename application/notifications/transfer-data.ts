import type { Activity, Seen } from '../../domain/aggregates/ledger/ledger-data.js';
import type { Variant } from '../../domain/variant.js';
import type { TransferState } from '../../projections/transfers.js';
import type { Describe } from '../assets/token-descriptions.js';
import { showTransfer, stateOf } from '../assets/wire-records.js';

/** Transfer with the state and the number of confirmations that its notification reports. */
type NotifiedTransfer = { readonly seen: Seen; readonly state: TransferState; readonly confirmations: number };

/** Returns the state of a transfer that has the confirmations that its wallet requires. */
export const settledState = ({ transfer }: Seen): TransferState => (transfer.failed ? 'FAILED' : 'SUCCESS');

/** Builds the `data` of a notification about a transfer. */
export const transferData = (
  variant: Variant,
  { walletId, block }: Activity,
  { seen: { transfer, own }, state, confirmations }: NotifiedTransfer,
  describe: Describe,
) => ({
  wallet_id: walletId,
  address: own.includes(transfer.to) ? transfer.to : own[0],
  confirmations,
  state: stateOf(state),
  transfer: showTransfer(variant, { transfer, state, block_number: block.number, block_time: block.time }, describe),
});
