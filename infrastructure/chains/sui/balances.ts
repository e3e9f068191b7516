import type { BoundedCache } from '../../../application/async/bounded-cache.js';
import { mapInSlices, slicesOf } from '../../../application/async/slices.js';
import type { Header } from '../../../application/ports/chain.js';
import type { Holding } from '../../../domain/aggregates/ledger/ledger-data.js';
import { NodeFault } from '../../nodes/node-fault.js';
import { fullAddress } from './addresses.js';
import { type Changes, changeKey, changesAt, changesIn, latestHeight } from './checkpoints.js';
import { nativeCoinType } from './coin-type.js';
import type { Node, Nodes } from './nodes.js';
import type { PrefetchedCheckpoints } from './prefetched-checkpoints.js';

const maxConcurrentBalances = 16;
const balancesPerPart = 64;
const maxConcurrentCheckpoints = 8;
/** Maximum checkpoints over which a balance is calculated back. Beyond that, the node's newest balance is used. */
const maxDistance = 512;
const maxAttempts = 5;
const heightHeader = 'x-sui-checkpoint-height';

/** Recently fetched balance changes by checkpoint number, and prefetched checkpoints. */
type RecentChanges = { readonly asked: BoundedCache<number, Changes>; readonly prefetched: PrefetchedCheckpoints };
type Asked = { readonly owner: string; readonly coinType: string };
/** Balances as of some checkpoint from `from` to `to`; null for a coin that the node rejects. */
type Reading = { readonly balances: readonly (bigint | null)[]; readonly from: number; readonly to: number };

const askedFor = ({ address, asset }: Holding): Asked => ({
  owner: fullAddress(address),
  coinType: 'contract' in asset ? asset.contract : nativeCoinType,
});
const keyOf = ({ owner, coinType }: Asked) => changeKey(owner, coinType);

/** Fetches one balance; null if the node rejects the coin type, so that one invalid coin does not block the others. */
const askBalance = async (node: Node, asked: Asked) => {
  try {
    return await node.ask((client, options) => client.stateService.getBalance(asked, options));
  } catch (error) {
    if (error instanceof NodeFault && error.kind === 'refused' && asked.coinType !== nativeCoinType) return null;
    throw error;
  }
};

/** Reads the newest balances. Each is the sum of an owner's coin objects and its address balance. */
const readNewest = async (node: Node, all: readonly Asked[]): Promise<Reading> => {
  const from = await latestHeight(node);
  const answers = await mapInSlices(all, maxConcurrentBalances, (asked) => askBalance(node, asked));
  const heights = answers.map((answer) => Number(answer?.headers[heightHeader] ?? from));
  // Several nodes may share one URL, and one of them may lag behind the height that another reported.
  if (heights.some((height) => height < from))
    throw new NodeFault('missing', 'answered at a lower height than it reported before');
  const to = Math.max(await latestHeight(node), ...heights);
  return { balances: answers.map((answer) => answer && (answer.response.balance?.balance ?? 0n)), from, to };
};

/** Returns the balance changes of a checkpoint. They are final and therefore cached. */
const recentChangesAt = async (node: Node, { asked, prefetched }: RecentChanges, number: number): Promise<Changes> => {
  const known = asked.get(number);
  if (known) return known;
  const whole = prefetched.at(number);
  const found = whole ? changesIn(whole) : await changesAt(node, number);
  asked.set(number, found);
  return found;
};

const changesBetween = (node: Node, recent: RecentChanges, after: number, last: number) => {
  const numbers = Array.from({ length: Math.max(0, last - after) }, (_, i) => after + 1 + i);
  return mapInSlices(numbers, maxConcurrentCheckpoints, (number) => recentChangesAt(node, recent, number));
};

/**
 * Reads balances as of a checkpoint. Nodes return only the newest balances, so later changes are subtracted. `isSure` is
 * false for a balance that changed during the read, because it may be from before or after the change.
 */
const readOnce = async (node: Node, all: readonly Asked[], at: Header, recent: RecentChanges) => {
  const { balances, from, to } = await readNewest(node, all);
  if (from < at.number) throw new NodeFault('missing', 'does not have the checkpoint yet');
  const meanwhile = await changesBetween(node, recent, from, to);
  const later = from - at.number > maxDistance ? [] : await changesBetween(node, recent, at.number, from);
  return all.map((asked, i) => {
    const key = keyOf(asked);
    const newest = balances[i] ?? null;
    if (newest === null) return { key, isSure: true, balance: null };
    if (meanwhile.some((changes) => changes.has(key))) return { key, isSure: false, balance: newest.toString() };
    const balance = later.reduce((left, changes) => left - (changes.get(key) ?? 0n), newest);
    return { key, isSure: true, balance: balance.toString() };
  });
};

/** Recently read balances, with which a read that failed midway continues. */
type ReadBalances = BoundedCache<string, string | null>;
type Known = { readonly recent: RecentChanges; readonly read: ReadBalances };

/**
 * Reads until every balance is sure. An unsure balance is accepted after the last attempt, because the change that
 * interfered causes another read.
 */
const readOn = async (node: Node, all: readonly Asked[], at: Header, { recent, read }: Known) => {
  const placeOf = (key: string) => `${at.hash} ${key}`;
  const before = all.map(keyOf).flatMap((key): [string, string | null][] => {
    const balance = read.get(placeOf(key));
    return balance === undefined ? [] : [[key, balance]];
  });
  const found = new Map(before);
  const left = () => all.filter((asked) => !found.has(keyOf(asked)));
  for (let tried = 1; left().length > 0; tried++)
    for (const { key, isSure, balance } of await readOnce(node, left(), at, recent)) {
      if (isSure || tried === maxAttempts) found.set(key, balance);
      if (isSure) read.set(placeOf(key), balance);
    }
  return all.map((asked) => found.get(keyOf(asked)) ?? null);
};

/** Reads balances in parts, each with its own deadline, so that no number of holdings exceeds the deadline. */
export const readBalances = async (nodes: Nodes, known: Known, holdings: readonly Holding[], at: Header) => {
  const balances: (string | null)[] = [];
  for (const some of slicesOf(holdings.map(askedFor), balancesPerPart))
    balances.push(...(await nodes.use((node) => readOn(node, some, at, known))));
  return balances;
};
