import { type Balance, type Holding, type LedgerCommand, ledger } from '../../domain/ledger.js';
import type { Variant } from '../../domain/variant.js';
import { slicesOf } from '../async/slices.js';
import { type Context, type Handle, step } from '../commands/handle.js';
import type { Chain, Header } from '../ports/chain.js';
import type { Position } from '../ports/event-store.js';

/** Names the ledger of a wallet and a block. */
export const ledgerKey = (variant: Variant, walletId: string, blockHash: string) =>
  `${variant.tag}.${walletId}.${blockHash}`;

/** So many balances are asked for at once. */
const balancesAtOnce = 500;

/** Reads balances as the node has them at that block; those that the node cannot tell are left out. */
export const readBalances = async (chain: Chain, holdings: readonly Holding[], at: Header): Promise<Balance[]> => {
  const found: Balance[] = [];
  for (const some of slicesOf(holdings, balancesAtOnce)) {
    const balances = await chain.balances(some, at);
    for (const [n, { address, asset }] of some.entries()) {
      const balance = balances[n];
      if (typeof balance === 'string') found.push({ address, asset, balance });
    }
  }
  return found;
};

type Block = LedgerCommand['data']['block'];
type Place = { readonly walletId: string; readonly at: Header; readonly chain: string };

const writeAt = (handle: Handle, context: Context, { walletId, at, chain }: Place, commandFor: CommandFor) => {
  const block = { number: at.number, hash: at.hash, time: at.time, chain };
  const key = ledgerKey(context.variant, walletId, at.hash);
  return handle(context, [step(ledger, context.organizationId, key, commandFor({ walletId, block }))]);
};
type CommandFor = (of: { walletId: string; block: Block }) => LedgerCommand;

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
