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
/**
 * Maximum number of checkpoints over which a balance is calculated back from the checkpoint at which it is known. If
 * the distance is larger, the known balance is used unchanged.
 */
const maxDistance = 512;
const maxAttempts = 5;
/** Age in checkpoints (about a minute) above which a cached answer is dropped and the balance is requested again. */
const maxAnswerAge = 240;
const heightHeader = 'x-sui-checkpoint-height';

/** Recently fetched balance changes by checkpoint number, and prefetched checkpoints. */
type RecentChanges = { readonly asked: BoundedCache<number, Changes>; readonly prefetched: PrefetchedCheckpoints };
type Asked = { readonly owner: string; readonly coinType: string };
/**
 * Balance that a node returned. If `isSure`, it is the balance as of checkpoint `height`; if not, as of `height` or
 * some later checkpoint. `askedAt` is the newest checkpoint before the request, `newest` the newest checkpoint that the
 * response reports.
 */
type Answer = {
  readonly balance: bigint;
  readonly isSure: boolean;
  readonly height: number;
  readonly newest: number;
  readonly askedAt: number;
};
/**
 * Recent answers by owner and coin. A retry of a read that failed midway reuses them, even if it reads as of another
 * checkpoint.
 */
export type Answers = BoundedCache<string, Answer>;
type Known = { readonly recent: RecentChanges; readonly answers: Answers };

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

/**
 * Reads an owner's newest balance, which is the sum of the coin objects and the address balance. Returns null if the
 * node rejects the coin type.
 */
const askNewest = async (node: Node, asked: Asked, askedAt: number): Promise<Answer | null> => {
  const answer = await askBalance(node, asked);
  if (!answer) return null;
  const newest = Number(answer.headers[heightHeader] ?? askedAt);
  // Several nodes may share one URL, and one of them may lag behind the height that another reported.
  if (newest < askedAt) throw new NodeFault('missing', 'answered at a lower height than it reported before');
  return { balance: answer.response.balance?.balance ?? 0n, isSure: false, height: askedAt, newest, askedAt };
};

/** Returns the balance changes of a checkpoint. Checkpoints are final, so their balance changes are cached. */
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
 * Returns the answer marked as sure, valid as of checkpoint `later` or `answer.newest`, whichever is higher. Returns
 * null if the balance changed between `answer.height` and that checkpoint. An answer that is already sure is returned
 * unchanged.
 */
const makeSure = async (node: Node, recent: RecentChanges, key: string, answer: Answer, later: number) => {
  if (answer.isSure) return answer;
  const height = Math.max(later, answer.newest);
  const meanwhile = await changesBetween(node, recent, answer.height, height);
  return meanwhile.some((changes) => changes.has(key)) ? null : { ...answer, isSure: true, height };
};

/**
 * Calculates the balance as of checkpoint `at` from the balance as of `height`, because nodes return only the newest
 * balances.
 */
const balanceAt = async (node: Node, recent: RecentChanges, key: string, { balance, height }: Answer, at: number) => {
  const sumBetween = async (after: number, last: number) => {
    const all = await changesBetween(node, recent, after, last);
    return all.reduce((sum, changes) => sum + (changes.get(key) ?? 0n), 0n);
  };
  const later = height - at > maxDistance ? 0n : await sumBetween(at, height);
  return balance - later + (await sumBetween(height, at));
};

/**
 * Drops cached answers that are too old or newer than the newest checkpoint of the node. Drops all cached answers if
 * requesting the balances again takes no more requests than fetching the balance changes since these answers.
 */
const dropUseless = ({ recent, answers }: Known, keys: readonly string[], at: number, newest: number) => {
  const given = keys.map((key) => ({ key, ...(answers.get(key) as Answer) }));
  const isUseful = ({ askedAt, height, newest: last }: Answer) =>
    Math.abs(at - askedAt) <= maxAnswerAge && Math.max(height, last) <= newest;
  const useful = given.filter(isUseful);
  const heights = [at, ...useful.flatMap(({ isSure, height }) => (isSure ? [height] : [height, newest]))];
  const isFetched = (number: number) => recent.asked.has(number) || recent.prefetched.at(number) !== undefined;
  let requests = 0;
  for (let number = Math.min(...heights) + 1; number <= Math.max(...heights) && requests < useful.length; number++)
    if (!isFetched(number)) requests++;
  for (const one of given) if (!isUseful(one) || requests >= useful.length) answers.delete(one.key);
};

/**
 * Calculates a balance as of checkpoint `at` from its cached answer. If the answer cannot be made sure, drops it and
 * returns null.
 */
const evaluate = async (node: Node, { recent, answers }: Known, key: string, at: number, newest: number) => {
  const answer = answers.get(key);
  const sure = answer && (await makeSure(node, recent, key, answer, newest));
  if (!sure) {
    answers.delete(key);
    return null;
  }
  answers.set(key, sure);
  return (await balanceAt(node, recent, key, sure, at)).toString();
};

/**
 * Reads until every balance is sure. After the last attempt, an unsure balance is accepted: the checkpoint that changed
 * it causes another read. Each answer is cached at once, so that a read that fails midway loses none.
 */
const readOn = async (node: Node, all: readonly Asked[], at: Header, known: Known) => {
  const { answers } = known;
  const found = new Map<string, string | null>();
  const left = () => all.filter((asked) => !found.has(keyOf(asked)));
  const evaluateAll = async (newest: number, isLast: boolean) => {
    for (const key of left().map(keyOf).filter(answers.has)) {
      const unsure = answers.get(key)?.balance.toString();
      const balance = (await evaluate(node, known, key, at.number, newest)) ?? (isLast ? unsure : undefined);
      if (balance !== undefined) found.set(key, balance);
    }
  };
  for (let tried = 1; left().length > 0; tried++) {
    const height = await latestHeight(node);
    if (height < at.number) throw new NodeFault('missing', 'does not have the checkpoint yet');
    dropUseless(known, left().map(keyOf).filter(answers.has), at.number, height);
    await evaluateAll(height, false);
    await mapInSlices(left(), maxConcurrentBalances, async (asked) => {
      const answer = await askNewest(node, asked, height);
      if (answer) answers.set(keyOf(asked), answer);
      else found.set(keyOf(asked), null);
    });
    if (left().length > 0) await evaluateAll(await latestHeight(node), tried >= maxAttempts);
  }
  return all.map((asked) => found.get(keyOf(asked)) ?? null);
};

/**
 * Reads balances in parts, each with its own deadline, so that even many holdings can be read in time. Drops the cached
 * answers for coins other than SUI after the last part, so that the next read notices a coin that nodes reject.
 */
export const readBalances = async (nodes: Nodes, known: Known, holdings: readonly Holding[], at: Header) => {
  const balances: (string | null)[] = [];
  const all = holdings.map(askedFor);
  for (const some of slicesOf(all, balancesPerPart))
    balances.push(...(await nodes.use((node) => readOn(node, some, at, known))));
  for (const asked of all) if (asked.coinType !== nativeCoinType) known.answers.delete(keyOf(asked));
  return balances;
};
