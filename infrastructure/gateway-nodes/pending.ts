import { setTimeout as sleep } from 'node:timers/promises';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import { isRecord, waitingInPool } from '../../domain/rpc-value.js';
import { faultOf, readError } from '../nodes/json-rpc/rpc-fault.js';
import { NodeFault } from '../nodes/node-fault.js';
import { withTimeout } from '../nodes/with-timeout.js';
import type { Member } from './member.js';

const pauseMs = 500;
const answerMs = 5000;
const maxBeginMs = 1000;
const rememberedHashes = 50_000;

type Notice = (hash: string) => void;

/** Drops hashes that were reported before: after a change of nodes the same transactions come again. */
const onlyNew = (given: Notice) => {
  const seen = createBoundedCache<string, true>(rememberedHashes);
  const note = (hash: string) => seen.set(hash, true);
  const notice: Notice = (hash) => {
    if (seen.has(hash)) return;
    note(hash);
    given(hash);
  };
  return { note, notice };
};

const ask = async (member: Member, method: string, params: readonly unknown[]): Promise<unknown> => {
  const answer = await withTimeout(answerMs, (cancellation) =>
    member.exchange(method, JSON.stringify(params), cancellation),
  );
  if ('error' in answer) throw faultOf(readError(answer.error));
  return JSON.parse(answer.result.toString()) as unknown;
};

const hashesIn = (content: unknown): readonly string[] =>
  waitingInPool(content).flatMap(({ hash }) => (typeof hash === 'string' ? [hash] : []));

/** Reads the hashes in a node's pool, or those of the block it would make next where the pool is too large to be read. */
const heldBy = async (member: Member): Promise<readonly string[]> => {
  try {
    return hashesIn(await ask(member, 'txpool_content', []));
  } catch (error) {
    if (!(error instanceof NodeFault) || error.kind !== 'oversized') throw error;
    const block = await ask(member, 'eth_getBlockByNumber', ['pending', false]);
    const hashes = isRecord(block) && Array.isArray(block.transactions) ? block.transactions : [];
    return hashes.filter((hash) => typeof hash === 'string');
  }
};

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);

/** Reads the pool of a node that shows it, so seldom that it takes the node at most a tenth of its time. */
const inspect = async (member: Member, tell: (hashes: readonly string[]) => void, signal: AbortSignal) => {
  while (!signal.aborted) {
    const startedAt = performance.now();
    tell(hashesIn(await ask(member, 'txpool_content', [])));
    await pause(Math.max(pauseMs, 10 * (performance.now() - startedAt)), signal);
  }
};

/** Polls a filter of pending transactions, for nodes that take no subscriptions and do not show their pool. */
const poll = async (member: Member, notice: Notice, begun: () => void, signal: AbortSignal) => {
  const filter = await ask(member, 'eth_newPendingTransactionFilter', []);
  begun();
  while (!signal.aborted) {
    await pause(pauseMs, signal);
    if (signal.aborted) return;
    const hashes = await ask(member, 'eth_getFilterChanges', [filter]);
    for (const hash of Array.isArray(hashes) ? hashes : []) notice(String(hash));
  }
};

type Way = () => Promise<void>;
type Ears = {
  /** Reports a new transaction. */
  readonly notice: Notice;
  /** Reports all transactions in a pool. */
  readonly tellHeld: (hashes: readonly string[]) => void;
  /** Called once the node reports every new transaction. */
  readonly begun: (member: Member) => void;
};

const waysTo = (member: Member, { notice, tellHeld, begun }: Ears, signal: AbortSignal): readonly Way[] => {
  const { listen, isForeign } = member;
  const hear = (hash: unknown) => {
    if (typeof hash === 'string' && !isForeign()) notice(hash);
  };
  const hearHeld: Ears['tellHeld'] = (hashes) => (isForeign() ? undefined : tellHeld(hashes));
  const ways: readonly Way[] = [
    ...(listen ? [() => listen('newPendingTransactions', hear, signal, () => begun(member))] : []),
    () => inspect(member, hearHeld, signal),
    () => poll(member, hear, () => begun(member), signal),
  ];
  return ways.map((way) => async () => (isForeign() ? undefined : way()));
};

/**
 * Reports pending transactions, from one node at a time and from the next when that one fails, which also reports the transactions
 * that arrived in between and still wait. Resolves once it has begun, or beginning takes too long; earlier transactions are not reported.
 */
export const watchPending = (members: readonly Member[], given: Notice, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const { notice, note } = onlyNew(given);
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
      resolve();
    };
    setTimeout(begin, maxBeginMs).unref();
    const tellHeld = (hashes: readonly string[]) => {
      for (const hash of hashes) (hasBegun ? notice : note)(hash);
      begin();
    };
    const catchUp = async (member: Member) => tellHeld(await heldBy(member));
    const begun = (member: Member) => void catchUp(member).catch(begin);
    const ways = members.flatMap((member) => waysTo(member, { notice, tellHeld, begun }, signal));
    const watch = async () => {
      for (let i = 0; !signal.aborted; i = (i + 1) % ways.length) {
        await ways[i]?.().catch(() => undefined);
        await pause(pauseMs, signal);
      }
    };
    void watch();
  });
