import { fold } from '../domain/decider.js';
import { type Balance, type Holding, type Ledger, type LedgerCommand, ledger } from '../domain/ledger.js';
import type { Variant } from '../domain/variant.js';
import type { Activity, BlockRef, Holder } from './activities.js';
import type { BlockEntry } from './block-entries.js';
import { type Context, type Handle, step } from './handle.js';
import type { Header } from './ports/chain.js';
import { type EventStore, type Position, streamName } from './ports/event-store.js';

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

const ledgerKey = (variant: Variant, walletId: string, suffix: string) => `${variant.tag}.${walletId}.${suffix}`;

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
      for (let i = 0; i < entries.length; i += atOnce) await Promise.all(entries.slice(i, i + atOnce).map(one));
    },
    drop: ({ block, phase, ...holder }, told) =>
      write(holder, block, { type: 'Drop', data: { walletId: holder.walletId, block, told } }),
    read: async ({ block, phase, ...holder }) => {
      const stream = streamName(holder.organizationId, ledger.stream, keyOf(holder, block));
      return fold(ledger, (await events.read(stream)).events as never);
    },
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

type Place = { readonly walletId: string; readonly at: Header; readonly chain: string };

const writeAt = (handle: Handle, context: Context, { walletId, at, chain }: Place, commandFor: CommandFor) => {
  const block = { number: at.number, hash: at.hash, time: at.time, chain };
  const key = ledgerKey(context.variant, walletId, at.hash);
  return handle(context, [step(ledger, context.organizationId, key, commandFor({ walletId, block }))]);
};
type CommandFor = (of: { walletId: string; block: BlockRef }) => LedgerCommand;

/** Balances that were asked for, in the ledger of the block that they were read at. */
export const recordBalances = (
  handle: Handle,
  context: Context,
  { balances, ...place }: Place & { balances: readonly Balance[] },
): Promise<Position> => writeAt(handle, context, place, (of) => ({ type: 'Refresh', data: { ...of, balances } }));

/** Balances that are asked for, in the ledger of the block at whose confirmation they are read. */
export const awaitBalances = (
  handle: Handle,
  context: Context,
  { holdings, ...place }: Place & { holdings: readonly Holding[] },
): Promise<Position> => writeAt(handle, context, place, (of) => ({ type: 'Await', data: { ...of, holdings } }));
