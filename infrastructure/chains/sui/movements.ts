import type { Interest, Movement, Touch } from '../../../application/ports/chain.js';
import type { Asset } from '../../../domain/asset.js';
import { wrong } from '../nodes/node-fault.js';
import { formsOf, fullAddress, system } from './addresses.js';
import { coinTypeOf, nativeCoinType } from './coin-type.js';
import { amountOf, type ExecutedTransaction } from './wire.js';

/** What one transaction did to balances in one kind of coin, by address and without the gas. */
type Deltas = ReadonlyMap<string, bigint>;
type Gas = { readonly payer: string; readonly net: bigint };
type Piece = { readonly part: string; readonly from: string; readonly to: string; readonly value: bigint };

const native: Asset = { standard: 'native' };
const assetOf = (coinType: string): Asset =>
  coinType === nativeCoinType ? native : { standard: 'token', contract: coinType };

/** What was paid for computing and storing, less what was given back for storing less: it may be negative. */
const gasOf = ({ transaction, effects }: ExecutedTransaction): Gas => {
  const { computationCost = 0n, storageCost = 0n, storageRebate = 0n } = effects?.gasUsed ?? {};
  const payer = transaction?.gasPayment?.owner ?? transaction?.sender ?? '';
  return { payer: payer && fullAddress(payer), net: computationCost + storageCost - storageRebate };
};

/** By kind of coin. The chain counts the gas among what its payer spent. */
const deltasOf = ({ balanceChanges }: ExecutedTransaction, { payer, net }: Gas) => {
  const found = new Map<string, Map<string, bigint>>();
  const add = (coinType: string, address: string, amount: bigint) => {
    const deltas = found.get(coinType) ?? new Map<string, bigint>();
    found.set(coinType, deltas.set(address, (deltas.get(address) ?? 0n) + amount));
  };
  for (const { address, coinType, amount } of balanceChanges) {
    if (!address || !coinType) return wrong('a balance change without an address or a coin type');
    add(coinTypeOf(coinType), fullAddress(address), amountOf(amount));
  }
  if (payer && net !== 0n) add(nativeCoinType, payer, net);
  return found;
};

/** Who counts as the sender of what others received. */
const senderOf = (negatives: readonly (readonly [string, bigint])[], sender: string) => {
  if (negatives.some(([address]) => address === sender)) return sender;
  const [largest] = negatives.toSorted(([, a], [, b]) => (a < b ? -1 : 1));
  return largest?.[0] ?? (sender === system ? '' : sender);
};

/** Only sums are known, so each receiver gets its sum from one sender, and what reached no address has no receiver. */
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

/** An address as whoever watches it knows it; as it is where nobody does. */
const knownAs = (address: string, interest: Interest): readonly string[] => {
  const watched = address === '' ? [] : formsOf(address).filter((form) => interest.address(form));
  return watched.length > 0 ? watched : [address];
};

/** What a transaction moved, by asset; of one that failed nothing but the gas. */
const piecesBy = function* (executed: ExecutedTransaction, gas: Gas, failed: boolean): Iterable<[Asset, Piece]> {
  if (failed) {
    yield [native, { part: '', from: gas.payer, to: '', value: gas.net > 0n ? gas.net : 0n }];
    return;
  }
  const sender = fullAddress(executed.transaction?.sender ?? system);
  for (const [coinType, deltas] of deltasOf(executed, gas))
    for (const piece of piecesOf(deltas, sender)) yield [assetOf(coinType), piece];
};

/** Once for each form in which its addresses are watched; not at all when they are not. */
const watchedForms = function* ({ from, to }: Piece, interest: Interest) {
  for (const sender of knownAs(from, interest))
    for (const receiver of knownAs(to, interest))
      if (interest.address(sender) || interest.address(receiver)) yield { from: sender, to: receiver };
};

const isFollowed = (asset: Asset, interest: Interest) => !('contract' in asset) || interest.contract(asset.contract);

/** What one transaction of a checkpoint did that concerns anybody. */
export const readTransaction = (
  executed: ExecutedTransaction,
  interest: Interest,
): { readonly movements: readonly Movement[]; readonly touches: readonly Touch[] } => {
  if (!concerned(executed, interest)) return { movements: [], touches: [] };
  const { digest, effects } = executed;
  if (!digest || !effects?.status) return wrong('a transaction without its digest or its effects');
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
  const touches = payers.filter(interest.address).map((address) => ({ address, reason: 'fee' as const }));
  return { movements, touches };
};
