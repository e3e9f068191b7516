import type { Interest, Movement, Touch } from '../../../application/ports/chain.js';
import type { Asset } from '../../../domain/asset.js';
import { failInvalidAnswer } from '../../nodes/node-fault.js';
import { formsOf, fullAddress, system } from './addresses.js';
import { coinTypeOf, nativeCoinType } from './coin-type.js';
import { amountOf, type ExecutedTransaction } from './wire.js';

/** Balance changes of one transaction in one coin, by address, without gas. */
type Deltas = ReadonlyMap<string, bigint>;
type Gas = { readonly payer: string; readonly net: bigint };
type Piece = { readonly part: string; readonly from: string; readonly to: string; readonly value: bigint };

const native: Asset = { standard: 'native' };
const assetOf = (coinType: string): Asset =>
  coinType === nativeCoinType ? native : { standard: 'token', contract: coinType };

/** Computes the net gas: computation plus storage minus the storage rebate. The net gas may be negative. */
const gasOf = ({ transaction, effects }: ExecutedTransaction): Gas => {
  const { computationCost = 0n, storageCost = 0n, storageRebate = 0n } = effects?.gasUsed ?? {};
  const payer = transaction?.gasPayment?.owner ?? transaction?.sender ?? '';
  return { payer: payer && fullAddress(payer), net: computationCost + storageCost - storageRebate };
};

/** Sums balance changes by coin. The payer's change includes the gas, which is added back. */
const deltasOf = ({ balanceChanges }: ExecutedTransaction, { payer, net }: Gas) => {
  const found = new Map<string, Map<string, bigint>>();
  const add = (coinType: string, address: string, amount: bigint) => {
    const deltas = found.get(coinType) ?? new Map<string, bigint>();
    found.set(coinType, deltas.set(address, (deltas.get(address) ?? 0n) + amount));
  };
  for (const { address, coinType, amount } of balanceChanges) {
    if (!address || !coinType) return failInvalidAnswer('returned a balance change without an address or coin type');
    add(coinTypeOf(coinType), fullAddress(address), amountOf(amount));
  }
  if (payer && net !== 0n) add(nativeCoinType, payer, net);
  return found;
};

/**
 * Chooses the one address that all receivers see as the sender; empty if no address paid, for example if the coins come
 * from a swap or a stake.
 */
const senderOf = (negatives: readonly (readonly [string, bigint])[], sender: string) => {
  if (negatives.some(([address]) => address === sender)) return sender;
  const [largest] = negatives.toSorted(([, a], [, b]) => (a < b ? -1 : 1));
  return largest?.[0] ?? '';
};

/**
 * Splits balance changes into transfers. Only sums are known, so each receiver gets its sum from one sender. An amount
 * that reached no address has an empty receiver.
 */
const piecesOf = function* (deltas: Deltas, sender: string): Iterable<Piece> {
  const negatives = [...deltas].filter(([, amount]) => amount < 0n);
  const positives = [...deltas].filter(([, amount]) => amount > 0n);
  const from = senderOf(negatives, sender);
  for (const [to, value] of positives) yield { part: `>${to}`, from, to, value };
  const received = positives.reduce((sum, [, value]) => sum + value, 0n);
  for (const [address, amount] of negatives) {
    const isCovered = address === from && positives.length > 0;
    const value = isCovered ? -amount - received : -amount;
    if (value > 0n) yield { part: `<${address}`, from: address, to: '', value };
  }
};

const concerned = ({ transaction, balanceChanges }: ExecutedTransaction, interest: Interest) => {
  const isWatched = (address: string | undefined) =>
    address !== undefined && formsOf(address).some((form) => interest.address(form));
  return isWatched(transaction?.sender) || balanceChanges.some(({ address }) => isWatched(address));
};

/** Returns the watched forms of an address, or the address itself if none is watched. */
const knownAs = (address: string, interest: Interest): readonly string[] => {
  const watched = address === '' ? [] : formsOf(address).filter((form) => interest.address(form));
  return watched.length > 0 ? watched : [address];
};

/**
 * Yields the pieces of a failed transaction: the gas for its payer and, if a sponsor paid, a zero amount for the
 * sender.
 */
const failedPieces = function* (sender: string, { payer, net }: Gas): Iterable<Piece> {
  yield { part: '', from: payer, to: '', value: net > 0n ? net : 0n };
  if (sender !== payer) yield { part: `<${sender}`, from: sender, to: '', value: 0n };
};

/** Yields the transfers of a transaction with their assets. */
const piecesBy = function* (executed: ExecutedTransaction, gas: Gas, failed: boolean): Iterable<[Asset, Piece]> {
  const sender = fullAddress(executed.transaction?.sender ?? system);
  if (failed) {
    for (const piece of failedPieces(sender, gas)) yield [native, piece];
    return;
  }
  for (const [coinType, deltas] of deltasOf(executed, gas))
    for (const piece of piecesOf(deltas, sender)) yield [assetOf(coinType), piece];
};

/** Yields sender and receiver once for each watched form of their addresses; nothing if none is watched. */
const watchedForms = function* ({ from, to }: Piece, interest: Interest) {
  for (const sender of knownAs(from, interest))
    for (const receiver of knownAs(to, interest))
      if (interest.address(sender) || interest.address(receiver)) yield { from: sender, to: receiver };
};

const isFollowed = (asset: Asset, interest: Interest) => !('contract' in asset) || interest.contract(asset.contract);

/** Reads the movements and touches of watched addresses in a transaction. */
export const readTransaction = (
  executed: ExecutedTransaction,
  interest: Interest,
): { readonly movements: readonly Movement[]; readonly touches: readonly Touch[] } => {
  if (!concerned(executed, interest)) return { movements: [], touches: [] };
  const { digest, effects } = executed;
  if (!digest || !effects?.status) return failInvalidAnswer('returned a transaction without a digest or effects');
  const gas = gasOf(executed);
  const failed = effects.status.success !== true;
  const shared = { transaction: digest, fee: gas.net.toString(), failed, details: {} };
  const movements: Movement[] = [];
  for (const [asset, piece] of piecesBy(executed, gas, failed)) {
    if (!isFollowed(asset, interest)) continue;
    const index = `${'contract' in asset ? asset.contract : asset.standard}${piece.part}`;
    for (const sides of watchedForms(piece, interest))
      movements.push({ ...shared, ...sides, index, asset, value: piece.value.toString() });
  }
  const payers = gas.payer && gas.net !== 0n ? knownAs(gas.payer, interest) : [];
  const fees = [{ transaction: digest, value: gas.net.toString() }];
  const touches = payers.filter(interest.address).map((address) => ({ address, reason: 'fee' as const, fees }));
  return { movements, touches };
};
