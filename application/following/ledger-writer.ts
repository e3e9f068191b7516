import {
  type Balance,
  type Ledger,
  type LedgerCommand,
  ledger,
  type UnreadBalance,
} from '../../domain/aggregates/ledger.js';
import type { Variant } from '../../domain/variant.js';
import { ledgerKey } from '../assets/balance-ledger.js';
import { mapInSlices } from '../async/slices.js';
import { type Context, type Handle, step } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { Header } from '../ports/chain.js';
import type { EventStore } from '../ports/event-store.js';
import type { Activity, BlockRef, Holder } from '../watch-list/activities.js';
import type { BlockEntry } from './block-entries.js';

/** Writes changes by blocks into the ledgers of wallets; repeating a call writes nothing new. */
export type LedgerWriter = {
  /** `late`: the block may be confirmed already, and gets the transfers that it lacks. */
  observe(entries: readonly BlockEntry[], block: BlockRef, late?: boolean): Promise<void>;
  /** `told`: a webhook may have been notified of the block's transfers. */
  drop(activity: Activity, told: boolean): Promise<void>;
  read(activity: Activity): Promise<Ledger>;
  /** Confirms before the balances are read. `open`: webhooks are to be notified. */
  confirm(activity: Activity, open: boolean): Promise<void>;
  /** Records the activity's balances and confirms it; ignored when its block was dropped since. */
  settle(activity: Activity, reading: Reading): Promise<void>;
  /** `count`: transfers in the activity's ledger of which webhooks were notified. */
  close(activity: Activity, count: number): Promise<void>;
};

type Reading = {
  readonly balances: readonly Balance[];
  readonly aside: readonly UnreadBalance[];
  readonly at: Header;
  readonly open: boolean;
  readonly drops: number;
};

const ledgersAtOnce = 64;

export const createLedgerWriter = (ports: { events: EventStore; handle: Handle }, variant: Variant): LedgerWriter => {
  const { events, handle } = ports;
  const contextOf = ({ organizationId }: Holder, block: BlockRef): Context => ({
    organizationId,
    variant,
    actor: { kind: 'process', id: 'follower' },
    requestId: `block ${block.hash}`,
    repeatable: true,
  });
  const keyOf = ({ walletId }: Holder, { hash }: BlockRef) => ledgerKey(variant, walletId, hash);

  const write = async (holder: Holder, block: BlockRef, command: LedgerCommand) => {
    const one = step(ledger, holder.organizationId, keyOf(holder, block), command);
    await handle(contextOf(holder, block), [{ ...one, divisible: true }]);
  };

  return {
    observe: async (entries, block, late = false) => {
      const one = ({ transfers, touches, ...holder }: BlockEntry) => {
        const data = { walletId: holder.walletId, block, transfers, touches, late };
        // The ledger is read although it is mostly empty, so that a block that comes back is observed again.
        return write(holder, block, { type: 'Observe', data });
      };
      await mapInSlices(entries, ledgersAtOnce, one);
    },
    drop: ({ block, ...holder }, told) =>
      write(holder, block, { type: 'Drop', data: { walletId: holder.walletId, block, told } }),
    read: ({ block, ...holder }) => readAggregate(events, ledger, holder.organizationId, keyOf(holder, block)),
    confirm: ({ block, organizationId, walletId }, open) =>
      write({ organizationId, walletId }, block, { type: 'Confirm', data: { walletId, block, open } }),
    settle: ({ block, organizationId, walletId }, { at, ...reading }) => {
      const height = { number: at.number, hash: at.hash, chain: block.chain };
      const data = { walletId, block, ...reading, at: height };
      return write({ organizationId, walletId }, block, { type: 'Settle', data });
    },
    close: ({ block, ...holder }, count) =>
      write(holder, block, { type: 'Close', data: { walletId: holder.walletId, block, count } }),
  };
};
