import { type Asset, assetKey } from '../../domain/asset.js';
import type { TouchDocument } from '../../projections/statements/touches.js';
import type { ActivityBlock } from './activity.js';
import type { StatementMovement } from './movements.js';

/** Reasons why the balance of an asset changed other than by its recorded movements and fees. */
export const unexplainedReasons = [
  'before_registration',
  'untraced_internal_transfer',
  'rebasing_token',
  'unreadable_block',
  'withdrawal',
  'block_reward',
  'system_transaction',
  'wrapped_coins',
  'fee_not_recorded',
  'balance_drifted',
  'unknown',
] as const;
export type UnexplainedReason = (typeof unexplainedReasons)[number];

const reasonsOfTouches: Readonly<Record<string, UnexplainedReason>> = {
  execution: 'untraced_internal_transfer',
  withdrawal: 'withdrawal',
  reward: 'block_reward',
  system: 'system_transaction',
  wrap: 'wrapped_coins',
};

const nativeKey = assetKey({ standard: 'native' });

/** Returns the reason why a change without a transfer has no known amount; undefined if its amount is known. */
const reasonOf = ({ reason, fees, asset }: TouchDocument): UnexplainedReason | undefined => {
  if (reason !== 'fee') return reasonsOfTouches[reason];
  return fees || asset.standard !== 'native' ? undefined : 'fee_not_recorded';
};

/** Sums of one asset. `opening` is null if the asset was not followed at the start. */
export type Tally = {
  readonly asset: Asset;
  readonly opening: bigint | null;
  incoming: bigint;
  outgoing: bigint;
  fees: bigint;
  inTransit: bigint;
  readonly reasons: Set<UnexplainedReason>;
};

/**
 * Creates tallies, which add up movements by asset. The fee of a movement counts for the chain's own coin.
 */
export const createTallies = () => {
  const tallies = new Map<string, Tally>();
  const paid = (fee: bigint) => (fee === 0n ? undefined : tallies.get(nativeKey));
  return {
    has: (asset: Asset) => tallies.has(assetKey(asset)),
    begin: (asset: Asset, opening: bigint | null) => {
      const sums = { incoming: 0n, outgoing: 0n, fees: 0n, inTransit: 0n };
      tallies.set(assetKey(asset), { asset, opening, ...sums, reasons: new Set() });
    },
    add: ({ document, change, fee }: StatementMovement) => {
      const tally = tallies.get(assetKey(document.transfer.asset)) as Tally;
      if (change > 0n) tally.incoming += change;
      else tally.outgoing -= change;
      const payer = paid(fee);
      if (payer) payer.fees += fee;
    },
    addInTransit: ({ document, change, fee }: StatementMovement) => {
      (tallies.get(assetKey(document.transfer.asset)) as Tally).inTransit += change;
      const payer = paid(fee);
      if (payer) payer.inTransit -= fee;
    },
    /** Records the reasons why changes have an unknown amount. */
    note: ({ touches }: ActivityBlock) => {
      for (const touch of touches) {
        const reason = reasonOf(touch);
        if (reason) tallies.get(assetKey(touch.asset))?.reasons.add(reason);
      }
    },
    all: () => tallies.values(),
  };
};
export type Tallies = ReturnType<typeof createTallies>;
