import type { Balance, UnreadBalance } from '../../domain/aggregates/ledger/ledger-data.js';
import { type Ledger, type LedgerCommand, ledger } from '../../domain/aggregates/ledger.js';
import { UnreadableEvent } from '../../domain/upcasters.js';
import type { Variant } from '../../domain/variant.js';
import { ledgerKey } from '../assets/balance-ledger.js';
import { mapInSlices } from '../async/slices.js';
import { type Context, type Handle, step } from '../commands/handle.js';
import { foldStored } from '../commands/read-aggregate.js';
import type { Header } from '../ports/chain.js';
import { type EventStore, streamName } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import type { Activity, BlockRef, Holder } from '../watch-list/activities.js';
import type { BlockEntry } from './block-entries.js';

/** Writes the changes of blocks into ledgers (one event stream per wallet and block). Every call is idempotent. */
export type LedgerWriter = {
  /** Records the entries of a block. `late` adds missing transfers to a block that may already be confirmed. */
  observe(entries: readonly BlockEntry[], block: BlockRef, late?: boolean): Promise<void>;
  /**
   * Undoes an activity after its block was replaced. `notified` means that a webhook may have been notified of the
   * block's transfers.
   */
  drop(activity: Activity, notified: boolean): Promise<void>;
  /** Reads the ledger, with the trace context in which its first events were stored. */
  read(activity: Activity): Promise<TracedLedger>;
  /**
   * Confirms the transfers of a wallet in a block before the balances are read. `open` means that webhooks are to be
   * notified.
   */
  confirm(activity: Activity, open: boolean): Promise<void>;
  /**
   * Records the balances of an activity and confirms it. Does nothing if the activity's block was dropped meanwhile.
   */
  settle(activity: Activity, reading: Reading): Promise<void>;
  /**
   * Closes an activity. `count` is the number of its transfers that webhooks were notified of; `feedOnly` is true if no
   * webhook was left to notify.
   */
  close(activity: Activity, count: number, feedOnly: boolean): Promise<void>;
};

export type TracedLedger = Ledger & { readonly traceparent?: string | undefined };

type Reading = {
  readonly balances: readonly Balance[];
  readonly aside: readonly UnreadBalance[];
  readonly at: Header;
  readonly open: boolean;
  readonly drops: number;
};

type Ports = { readonly events: EventStore; readonly handle: Handle; readonly system: Pick<System, 'log'> };

const ledgersAtOnce = 64;

export const createLedgerWriter = (ports: Ports, variant: Variant): LedgerWriter => {
  const { events, handle, system } = ports;
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

  /** Skips a ledger that has events of a newer release, so that the block is still recorded for all other wallets. */
  const writeIfReadable = (holder: Holder, block: BlockRef, command: LedgerCommand) =>
    write(holder, block, command).catch((error: unknown) => {
      if (!(error instanceof UnreadableEvent)) throw error;
      const { organizationId, walletId } = holder;
      const fields = { variant: variant.tag, organization: organizationId, wallet: walletId, block: block.hash };
      system.log.error(
        { ...fields, err: error },
        'Transfers of a wallet in a block were not recorded: a newer release wrote earlier events about them',
      );
    });

  return {
    observe: async (entries, block, late = false) => {
      const one = ({ transfers, touches, ...holder }: BlockEntry) => {
        const data = { walletId: holder.walletId, block, transfers, touches, late };
        // The ledger is read although it is usually empty, so that a block that returns after a reorg is recorded
        // again.
        return writeIfReadable(holder, block, { type: 'Observe', data });
      };
      await mapInSlices(entries, ledgersAtOnce, one);
    },
    drop: ({ block, ...holder }, notified) =>
      writeIfReadable(holder, block, { type: 'Drop', data: { walletId: holder.walletId, block, notified } }),
    read: async ({ block, ...holder }) => {
      const { events: past } = await events.read(
        streamName(holder.organizationId, ledger.stream, keyOf(holder, block)),
      );
      return { ...foldStored(ledger, past), traceparent: past[0]?.metadata.traceparent };
    },
    confirm: ({ block, organizationId, walletId }, open) =>
      write({ organizationId, walletId }, block, { type: 'Confirm', data: { walletId, block, open } }),
    settle: ({ block, organizationId, walletId, phase }, { at, ...reading }) => {
      const height = { number: at.number, hash: at.hash, chain: block.chain };
      const data = { walletId, block, ...reading, at: height, retracted: phase === 'due' };
      return write({ organizationId, walletId }, block, { type: 'Settle', data });
    },
    close: ({ block, ...holder }, count, feedOnly) =>
      write(holder, block, { type: 'Close', data: { walletId: holder.walletId, block, count, feedOnly } }),
  };
};
