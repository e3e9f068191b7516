import { type Drifted, drift } from '../../domain/aggregates/ledger/drift.js';
import { assetKey } from '../../domain/asset.js';
import { fail } from '../../domain/failure.js';
import type { AddressDocument } from '../../projections/addresses.js';
import { type WalletDocument, wallets } from '../../projections/wallets.js';
import { balanceStep } from '../assets/balance-ledger.js';
import { partSize } from '../assets/changed-balances.js';
import type { Contracts } from '../assets/contracts.js';
import { createSingleFlight } from '../async/single-flight.js';
import { slicesOf } from '../async/slices.js';
import { createFairTurns } from '../async/turns/fair-turns.js';
import { type Context, type Done, type Handle, scopeFor, step } from '../commands/handle.js';
import { withoutSeed } from '../commands/own-events.js';
import type { Chains } from '../ports/chains.js';
import type { Position, Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { everyDocument } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import type { AddressParser } from '../wallets/address-parser.js';
import { requireWallet } from '../wallets/require-wallet.js';
import { createComparison, type Difference } from './compare-balances.js';
import { awaitedHoldings, type Height, settledHeight } from './settled-height.js';

export type ReconciliationPorts = {
  readonly handle: Handle;
  readonly events: Streams;
  readonly readModels: ReadModels;
  readonly state: StateStore;
  readonly progress: Progress;
  readonly contracts: Contracts;
  readonly addressParser: AddressParser;
  readonly chains: Chains;
  readonly catchUpMs: number;
  readonly system: System;
};

/** Difference that was found and corrected; `block` is the height of the final block that was compared. */
type FoundDifference = Pick<Drifted, 'address' | 'asset' | 'expected' | 'found'> & { readonly block: number };

export type Reconciliation = {
  /**
   * Compares all balances of a wallet with at most 1000 addresses. Concurrent calls for one wallet share a comparison,
   * which is charged to the first caller.
   */
  reconcile(context: Context, walletId: string): Promise<Done<readonly FoundDifference[]>>;
  /** Yields the ids of all wallets, newest first. */
  walletIds(context: Context): AsyncGenerator<string>;
  /** Compares the balances of a wallet of any size in parts. Yields the differences of each part of its addresses. */
  reconcileParts(context: Context, walletId: string): AsyncGenerator<ReconciledPart>;
};
type ReconciledPart = {
  readonly addresses: number;
  readonly differences: readonly FoundDifference[];
  readonly position: Position;
};

const maxAddresses = 1000;
/**
 * Limits for ReconcileWallet, which may read many thousands of balances: one wallet of an organization at a time, and
 * organizations are served round-robin.
 */
const reconciliationTurns = { maxConcurrent: 4, maxConcurrentPerKey: 1, maxWaiting: 16 };
/** Maximum number of differences that one command records. */
const differencesAtOnce = 100;

const driftKey = (
  { variant }: Context,
  { walletId, address, asset }: Pick<Drifted, 'walletId' | 'address' | 'asset'>,
) => `${variant.tag}.${walletId}.${address}.${assetKey(asset)}`;

/** Collects the differences of all parts of a wallet. */
const collect = async (
  events: Streams,
  parts: AsyncIterable<ReconciledPart>,
): Promise<Done<readonly FoundDifference[]>> => {
  const answer: FoundDifference[] = [];
  let position = await events.head();
  for await (const part of parts) {
    answer.push(...part.differences);
    position = Math.max(position, part.position);
  }
  return { answer, position };
};

/**
 * Creates functions that compare stored balances with the chain at a final block. Each difference is recorded as
 * BalanceDrifted, and corrected by a BalanceRead in the same commit.
 */
export const createReconciliation = (ports: ReconciliationPorts): Reconciliation => {
  const { handle, events, readModels, addressParser } = ports;
  const compare = createComparison(ports);

  const record = async (
    context: Context,
    { wallet_id: walletId }: WalletDocument,
    height: Height,
    some: readonly Difference[],
  ) => {
    const { at, chain } = height;
    const block = { number: at.number, hash: at.hash, time: at.time, chain };
    const balances = some.map(({ address, asset, found }) => ({ address, asset, balance: found }));
    const drifts = some.map((difference) => {
      const data = { walletId, block, ...difference };
      return step(drift, context.organizationId, driftKey(context, data), { type: 'Record', data });
    });
    return handle(context, [balanceStep(context, { walletId, at, chain, balances }), ...drifts]);
  };

  const reconcilePart = async (
    context: Context,
    wallet: WalletDocument,
    addresses: readonly AddressDocument[],
  ): Promise<ReconciledPart> => {
    const walletId = wallet.wallet_id;
    const height = await settledHeight(ports, context, wallet);
    const awaited = await awaitedHoldings(ports, context, walletId);
    const differences = await compare(context, { ...height, walletId, addresses, awaited });
    let position = await events.head();
    for (const some of slicesOf(differences, differencesAtOnce)) position = await record(context, wallet, height, some);
    const { number: block } = height.at;
    const found = differences.map(({ since: _, ...difference }) => ({ ...difference, block }));
    return { addresses: addresses.length, differences: found, position };
  };

  const partsOf = async function* (context: Context, walletId: string) {
    const wallet = await requireWallet(readModels, context, walletId);
    for await (const page of addressParser.pages(context, walletId))
      for (const some of slicesOf(page, partSize.addresses)) yield await reconcilePart(context, wallet, some);
  };

  const shared = createSingleFlight<Done<readonly FoundDifference[]>>();
  const inTurn = createFairTurns(reconciliationTurns);
  return {
    reconcile: async (given, walletId) => {
      const context = withoutSeed(given);
      const { address_count = 0 } = await requireWallet(readModels, context, walletId);
      if (address_count > maxAddresses)
        return fail(
          'FAILED_PRECONDITION',
          `Wallet ${walletId} has ${address_count} addresses; ReconcileWallet compares at most ${maxAddresses}. The daily reconciliation and chainfold audit reconcile compare wallets of any size.`,
        );
      const { organizationId, variant } = context;
      return shared.run(`${organizationId} ${variant.tag} ${walletId}`, undefined, () =>
        inTurn(organizationId, () => collect(events, partsOf(context, walletId))),
      );
    },
    walletIds: async function* (context) {
      for await (const { wallet_id } of everyDocument(readModels, wallets, scopeFor(context))) yield wallet_id;
    },
    reconcileParts: partsOf,
  };
};
