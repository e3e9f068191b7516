import type { BoundedCache } from '../../../application/async/bounded-cache.js';
import { mapInSlices } from '../../../application/async/slices.js';
import type { Header } from '../../../application/ports/chain.js';
import type { Holding } from '../../../domain/ledger.js';
import { NodeFault } from '../nodes/node-fault.js';
import { fullAddress } from './addresses.js';
import { type Changes, changeKey, changesAt, latestHeight } from './checkpoints.js';
import { nativeCoinType } from './coin-type.js';
import type { Node, Nodes } from './nodes.js';

const askedAtOnce = 16;
const checkpointsAtOnce = 8;
/** Further back than this a node's newest balance is taken as it is. */
const furthestBack = 512;
const tries = 5;
const heightHeader = 'x-sui-checkpoint-height';

type RecentChanges = BoundedCache<number, Changes>;
type Asked = { readonly owner: string; readonly coinType: string };
/** As of some checkpoint from `from` to `to`. */
type Reading = { readonly balances: readonly bigint[]; readonly from: number; readonly to: number };

const askedFor = ({ address, asset }: Holding): Asked => ({
  owner: fullAddress(address),
  coinType: 'contract' in asset ? asset.contract : nativeCoinType,
});
const keyOf = ({ owner, coinType }: Asked) => changeKey(owner, coinType);

/** Coins and the address's own account together. */
const readNewest = async (node: Node, all: readonly Asked[]): Promise<Reading> => {
  const from = await latestHeight(node);
  const answers = await mapInSlices(all, askedAtOnce, (asked) =>
    node.ask((client, options) => client.stateService.getBalance(asked, options)),
  );
  const told = answers.map(({ headers }) => Number(headers[heightHeader] ?? from));
  // Behind one address may stand several nodes, and one that lags does not know what another has told.
  if (told.some((height) => height < from)) throw new NodeFault('missing', 'knows less than it said before');
  const to = Math.max(await latestHeight(node), ...told);
  return { balances: answers.map(({ response }) => response.balance?.balance ?? 0n), from, to };
};

/** What checkpoints changed is final, so nothing of it is asked twice. */
const recentChangesAt = async (node: Node, recent: RecentChanges, number: number): Promise<Changes> => {
  const known = recent.get(number);
  if (known) return known;
  const found = await changesAt(node, number);
  recent.set(number, found);
  return found;
};

const changesBetween = (node: Node, recent: RecentChanges, after: number, last: number) => {
  const numbers = Array.from({ length: Math.max(0, last - after) }, (_, i) => after + 1 + i);
  return mapInSlices(numbers, checkpointsAtOnce, (number) => recentChangesAt(node, recent, number));
};

/**
 * Nodes only know the newest balances: what came after the wanted checkpoint is taken off again. `isSure` is false for a
 * balance that changed while it was being read, since nobody knows on which side of the change that was.
 */
const readOnce = async (node: Node, all: readonly Asked[], at: Header, recent: RecentChanges) => {
  const { balances, from, to } = await readNewest(node, all);
  if (from < at.number) throw new NodeFault('missing', 'does not know the checkpoint yet');
  const meanwhile = await changesBetween(node, recent, from, to);
  const later = from - at.number > furthestBack ? [] : await changesBetween(node, recent, at.number, from);
  return all.map((asked, i) => {
    const key = keyOf(asked);
    const newest = balances[i] as bigint;
    if (meanwhile.some((changes) => changes.has(key))) return { key, isSure: false, balance: newest };
    return { key, isSure: true, balance: later.reduce((left, changes) => left - (changes.get(key) ?? 0n), newest) };
  });
};

/** What changes faster than it can be read is taken as it was last: it is read again with the next change. */
const readOn = async (node: Node, all: readonly Asked[], at: Header, recent: RecentChanges): Promise<string[]> => {
  const found = new Map<string, string>();
  const left = () => all.filter((asked) => !found.has(keyOf(asked)));
  for (let tried = 1; left().length > 0; tried++)
    for (const { key, isSure, balance } of await readOnce(node, left(), at, recent))
      if (isSure || tried === tries) found.set(key, balance.toString());
  return all.map((asked) => found.get(keyOf(asked)) as string);
};

export const readBalances = (nodes: Nodes, recent: RecentChanges, holdings: readonly Holding[], at: Header) =>
  holdings.length === 0 ? Promise.resolve([]) : nodes.use((node) => readOn(node, holdings.map(askedFor), at, recent));
