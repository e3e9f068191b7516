import type { Holding } from '../../domain/aggregates/ledger/ledger-data.js';
import { ledger } from '../../domain/aggregates/ledger.js';
import { fail } from '../../domain/failure.js';
import { thresholdOf } from '../../domain/variant.js';
import { type UnsettledDocument, unsettled } from '../../projections/unsettled.js';
import type { WalletDocument } from '../../projections/wallets.js';
import { ledgerKey } from '../assets/balance-ledger.js';
import { type Context, scopeFor } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import { readReached } from '../following/progress/cursor-store.js';
import type { Header } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import type { Streams } from '../ports/event-store.js';
import type { DocumentKey, ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { Progress } from '../read-models/progress.js';

type Ports = {
  readonly events: Streams;
  readonly readModels: ReadModels;
  readonly state: StateStore;
  readonly progress: Progress;
  readonly chains: Chains;
  readonly catchUpMs: number;
};

/** Final block at which balances are compared. `chain` is the hash of the chain's first block. */
export type Height = { readonly at: Header; readonly chain: string };

/** Maximum number of unsettled blocks of one wallet that are examined. */
const maxUnsettled = 1000;

/**
 * Finds the newest block that is final, followed, and confirmed by the wallet's threshold. When the function returns,
 * the read models include all events that were recorded up to this block.
 */
export const settledHeight = async (ports: Ports, context: Context, wallet: WalletDocument): Promise<Height> => {
  const { state, chains, events, progress, catchUpMs } = ports;
  const { variant, organizationId } = context;
  const chain = chains.of(variant);
  const { hash: first } = await chain.genesis();
  const reached = await readReached(state, variant.tag);
  if (reached?.chain !== first)
    return fail('UNAVAILABLE', `Chain ${variant.tag} is not followed yet. Run a process with the role follower.`);
  const confirmed = reached.tip.number - thresholdOf(variant, wallet.confirmation) + 1;
  const number = Math.max(0, Math.min(await chain.finalized(), confirmed));
  const at = await chain.headerAt(number);
  if (!at) return fail('NODE_ERROR', `No node has block ${number}, although the block was followed.`);
  if (!(await progress.reached(await events.head(), catchUpMs, organizationId)))
    return fail('UNAVAILABLE', 'Read model is catching up. Retry in a moment.');
  return { at, chain: first };
};

/**
 * Yields the blocks of a wallet with changes that are still to be confirmed, notified or corrected, or with balances
 * that are still to be read. The ids of these documents begin with the wallet id.
 */
const unsettledOf = async function* ({ readModels }: Ports, context: Context, walletId: string) {
  const scope = scopeFor(context);
  let after: DocumentKey | undefined = { scope, id: `${walletId}|` };
  while (after) {
    const found: Awaited<ReturnType<typeof readModels.scan<UnsettledDocument>>> = await readModels.scan(
      unsettled,
      after,
    );
    for (const one of found) {
      if (one.scope !== scope || one.document.wallet_id !== walletId) return;
      yield one.document;
    }
    after = found.at(-1);
  }
};

/**
 * Returns the holdings with balances that the follower is about to read. Until then, the stored balances may differ
 * from the chain without being wrong.
 */
export const awaitedHoldings = async (
  ports: Ports,
  context: Context,
  walletId: string,
): Promise<readonly Holding[]> => {
  const holdings: Holding[] = [];
  let count = 0;
  for await (const { block, phase, unread } of unsettledOf(ports, context, walletId)) {
    if (phase === 'open' && !unread) continue;
    if (++count > maxUnsettled)
      return fail('UNAVAILABLE', 'The balances of this wallet are being read after many transfers. Retry later.');
    const key = ledgerKey(context.variant, walletId, block.hash);
    holdings.push(...(await readAggregate(ports.events, ledger, context.organizationId, key)).holdings);
  }
  return holdings;
};
