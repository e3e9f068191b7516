import { fold } from '../domain/decider.js';
import { type Balance, distinct, type Holding, ledger } from '../domain/ledger.js';
import type { Variant } from '../domain/variant.js';
import type { Activity, BlockRef, Holder } from './activities.js';
import type { BlockEntry } from './block-entries.js';
import { type Context, type Handle, step } from './handle.js';
import type { Header } from './ports/chain.js';
import { type EventStore, type Position, streamName } from './ports/event-store.js';

/** Writes what blocks do to wallets into their ledgers, each fact once, however often it is told. */
export type Ledgers = {
  observe(entries: readonly BlockEntry[], block: BlockRef): Promise<void>;
  drop(activity: Activity): Promise<void>;
  /** Which balances the block may have changed. */
  holdings(activity: Activity): Promise<readonly Holding[]>;
  settle(activity: Activity, balances: readonly Balance[], at: Header): Promise<void>;
};

/** So many ledgers are written at the same time. */
const atOnce = 64;

type Command = Parameters<typeof ledger.decide.Observe>[1];

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

  return {
    observe: async (entries, block) => {
      const one = async ({ transfers, touches, ...holder }: BlockEntry) => {
        const data: Command = { walletId: holder.walletId, block, transfers, touches };
        const made = step(ledger, holder.organizationId, keyOf(holder, block), { type: 'Observe', data });
        await handle(contextOf(holder, block), [{ ...made, isNew: true }]);
      };
      for (let i = 0; i < entries.length; i += atOnce) await Promise.all(entries.slice(i, i + atOnce).map(one));
    },
    drop: async ({ block, phase, ...holder }) => {
      const data = { walletId: holder.walletId, block };
      await handle(contextOf(holder, block), [
        step(ledger, holder.organizationId, keyOf(holder, block), { type: 'Drop', data }),
      ]);
    },
    holdings: async ({ block, phase, ...holder }) => {
      const stream = streamName(holder.organizationId, ledger.stream, keyOf(holder, block));
      return distinct(fold(ledger, (await events.read(stream)).events as never).holdings);
    },
    settle: async ({ block, phase, ...holder }, balances, { number, hash }) => {
      const data = { walletId: holder.walletId, block, balances, at: { number, hash } };
      await handle(contextOf(holder, block), [
        step(ledger, holder.organizationId, keyOf(holder, block), { type: 'Settle', data }),
      ]);
    },
  };
};

/** Balances that were asked for, each request in a ledger of its own. */
export const recordBalances = async (
  handle: Handle,
  context: Context,
  reading: { walletId: string; balances: readonly Balance[]; at: Header; key: string },
): Promise<Position> => {
  const { walletId, balances, at, key } = reading;
  const data = { walletId, balances, at: { number: at.number, hash: at.hash } };
  const made = step(ledger, context.organizationId, ledgerKey(context.variant, walletId, key), {
    type: 'Refresh',
    data,
  });
  return handle(context, [{ ...made, isNew: true }]);
};
