import type { Balance, Holding } from '../../domain/aggregates/ledger/ledger-data.js';
import { type LedgerCommand, ledger } from '../../domain/aggregates/ledger.js';
import { fail } from '../../domain/failure.js';
import { thresholdOf, type Variant } from '../../domain/variant.js';
import { slicesOf } from '../async/slices.js';
import { type Context, type Handle, type Step, step } from '../commands/handle.js';
import type { Chain, Header } from '../ports/chain.js';
import type { Position } from '../ports/event-store.js';

/** Returns the stream key of the ledger of one wallet in one block. */
export const ledgerKey = (variant: Variant, walletId: string, blockHash: string) =>
  `${variant.tag}.${walletId}.${blockHash}`;

const balancesAtOnce = 500;

/** Reads balances as of a block. Balances that the node cannot determine are left out. */
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

/**
 * Reads a native balance, which involves no contract. Rejects if the nodes fail, so that callers can distinguish
 * failing nodes from a failing contract.
 */
export const checkNodes = (chain: Chain, { address }: Holding, at: Header) =>
  chain.balances([{ address, asset: { standard: 'native' } }], at);

type Block = LedgerCommand['data']['block'];
type Place = { readonly walletId: string; readonly at: Header; readonly chain: string };

type CommandFor = (of: { walletId: string; block: Block }) => LedgerCommand;

const stepAt = (context: Context, { walletId, at, chain }: Place, commandFor: CommandFor): Step => {
  const block = { number: at.number, hash: at.hash, time: at.time, chain };
  const key = ledgerKey(context.variant, walletId, at.hash);
  return step(ledger, context.organizationId, key, commandFor({ walletId, block }));
};
const writeAt = (handle: Handle, context: Context, place: Place, commandFor: CommandFor) =>
  handle(context, [{ ...stepAt(context, place, commandFor), divisible: true }]);

/** Returns the step that records balances in the ledger of their block, as part of a larger command. */
export const balanceStep = (context: Context, { balances, ...place }: Place & { balances: readonly Balance[] }): Step =>
  stepAt(context, place, (of) => ({ type: 'Refresh', data: { ...of, balances } }));

/** Records balances in the ledger of the block at which they were read. */
export const recordBalances = (
  handle: Handle,
  context: Context,
  { balances, ...place }: Place & { balances: readonly Balance[] },
): Promise<Position> => writeAt(handle, context, place, (of) => ({ type: 'Refresh', data: { ...of, balances } }));

/** Records in the ledger of a block that balances must be read when the block is confirmed. */
export const awaitBalances = (
  handle: Handle,
  context: Context,
  { holdings, ...place }: Place & { holdings: readonly Holding[] },
): Promise<Position> => writeAt(handle, context, place, (of) => ({ type: 'Await', data: { ...of, holdings } }));

/**
 * Returns the head of the chain and, as `at`, the newest block that has the number of confirmations that the wallet
 * requires.
 */
export const confirmedHeader = async (chain: Chain, variant: Variant, confirmation: number | undefined) => {
  const head = await chain.head();
  const depth = thresholdOf(variant, confirmation);
  if (depth === 1) return { head, at: head };
  const number = Math.max(0, head.number - depth + 1);
  const found = await chain.headerAt(number);
  return {
    head,
    at: found ?? fail('NODE_ERROR', `The node has no block ${number}, although its head is ${head.number}.`),
  };
};
