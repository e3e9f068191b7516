import { type Balance, type Ledger, type LedgerCommand, ledger } from '../../domain/ledger.js';
import type { Variant } from '../../domain/variant.js';
import { ledgerKey } from '../assets/balance-ledger.js';
import { mapInSlices } from '../async/slices.js';
import { type Context, type Handle, step } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { Header } from '../ports/chain.js';
import type { EventStore } from '../ports/event-store.js';
import type { Activity, BlockRef, Holder } from '../watch-list/activities.js';
import type { BlockEntry } from './block-entries.js';

/** Writes what blocks do to wallets into their ledgers, each fact once, however often it is told. */
export type Ledgers = {
  observe(entries: readonly BlockEntry[], block: BlockRef): Promise<void>;
  /** `told`: somebody may have been told of it. */
  drop(activity: Activity, told: boolean): Promise<void>;
  read(activity: Activity): Promise<Ledger>;
  /** `open`: there are some to be told of it. */
  settle(activity: Activity, reading: { balances: readonly Balance[]; at: Header; open: boolean }): Promise<void>;
  close(activity: Activity): Promise<void>;
};

/** So many ledgers are written at the same time. */
const atOnce = 64;

export const createLedgers = (ports: { events: EventStore; handle: Handle }, variant: Variant): Ledgers => {
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
    await handle(contextOf(holder, block), [step(ledger, holder.organizationId, keyOf(holder, block), command)]);
  };

  return {
    observe: async (entries, block) => {
      const one = ({ transfers, touches, ...holder }: BlockEntry) => {
        const data = { walletId: holder.walletId, block, transfers, touches };
        // Reads first, though there is mostly nothing: a block that comes back is observed anew, not taken for a repetition.
        return write(holder, block, { type: 'Observe', data });
      };
      await mapInSlices(entries, atOnce, one);
    },
    drop: ({ block, phase, ...holder }, told) =>
      write(holder, block, { type: 'Drop', data: { walletId: holder.walletId, block, told } }),
    read: ({ block, phase, ...holder }) => readAggregate(events, ledger, holder.organizationId, keyOf(holder, block)),
    settle: ({ block, phase, ...holder }, { balances, at, open }) => {
      const height = { number: at.number, hash: at.hash, chain: block.chain };
      return write(holder, block, {
        type: 'Settle',
        data: { walletId: holder.walletId, block, balances, at: height, open },
      });
    },
    close: ({ block, phase, ...holder }) =>
      write(holder, block, { type: 'Close', data: { walletId: holder.walletId, block } }),
  };
};
