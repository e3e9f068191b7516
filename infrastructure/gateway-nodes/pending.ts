import { setTimeout as sleep } from 'node:timers/promises';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import { isRecord, pendingInPool } from '../../domain/rpc-value.js';
import { faultOf, readError } from '../nodes/json-rpc/rpc-fault.js';
import { NodeFault } from '../nodes/node-fault.js';
import { withTimeout } from '../nodes/with-timeout.js';
import type { Member } from './member.js';

const pauseMs = 500;
const answerMs = 5000;
const maxBeginMs = 1000;
const rememberedHashes = 50_000;

type Notice = (hash: string) => void;

/** Wraps a listener so that it gets each hash once, because several nodes report the same transaction. */
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
  pendingInPool(content).flatMap(({ hash }) => (typeof hash === 'string' ? [hash] : []));

/**
 * Reads the transaction hashes in a node's pool, or only the hashes in its pending block if the pool is too large to
 * read.
 */
const poolHashes = async (member: Member): Promise<readonly string[]> => {
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

/** Polls the whole pool of a node. The pauses are ten times as long as a poll, to limit the load on the node. */
const pollPool = async (member: Member, report: (hashes: readonly string[]) => void, signal: AbortSignal) => {
  while (!signal.aborted) {
    const startedAt = performance.now();
    report(hashesIn(await ask(member, 'txpool_content', [])));
    await pause(Math.max(pauseMs, 10 * (performance.now() - startedAt)), signal);
  }
};

/** Polls a filter of pending transactions, for nodes without subscriptions and without `txpool_content`. */
const pollFilter = async (member: Member, notice: Notice, begun: () => void, signal: AbortSignal) => {
  const filter = await ask(member, 'eth_newPendingTransactionFilter', []);
  begun();
  while (!signal.aborted) {
    await pause(pauseMs, signal);
    if (signal.aborted) return;
    const hashes = await ask(member, 'eth_getFilterChanges', [filter]);
    for (const hash of Array.isArray(hashes) ? hashes : []) notice(String(hash));
  }
};

type Source = () => Promise<void>;
type PendingListener = {
  /** Reports a new transaction. */
  readonly notice: Notice;
  /** Reports all transactions in a pool. */
  readonly reportPool: (hashes: readonly string[]) => void;
  /** Called when the node has begun to report new transactions. */
  readonly begun: (member: Member) => void;
};

const sourcesAt = (
  member: Member,
  { notice, reportPool, begun }: PendingListener,
  signal: AbortSignal,
): readonly Source[] => {
  const { listen, isForeign } = member;
  const onHash = (hash: unknown) => {
    if (typeof hash === 'string' && !isForeign()) notice(hash);
  };
  const onPool: PendingListener['reportPool'] = (hashes) => (isForeign() ? undefined : reportPool(hashes));
  const sources: readonly Source[] = [
    ...(listen ? [() => listen('newPendingTransactions', onHash, signal, () => begun(member))] : []),
    () => pollPool(member, onPool, signal),
    () => pollFilter(member, onHash, () => begun(member), signal),
  ];
  return sources.map((way) => async () => (isForeign() ? undefined : way()));
};

/**
 * Reports pending transactions, from one node at a time. When that node fails, the next one also reports the
 * transactions that arrived meanwhile and are still pending. Resolves once watching has started, or after a timeout.
 * Transactions that were already pending when watching started are not reported.
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
    const reportPool = (hashes: readonly string[]) => {
      for (const hash of hashes) (hasBegun ? notice : note)(hash);
      begin();
    };
    const catchUp = async (member: Member) => reportPool(await poolHashes(member));
    const begun = (member: Member) => void catchUp(member).catch(begin);
    const sources = members.flatMap((member) => sourcesAt(member, { notice, reportPool, begun }, signal));
    const watch = async () => {
      for (let i = 0; !signal.aborted; i = (i + 1) % sources.length) {
        await sources[i]?.().catch(() => undefined);
        await pause(pauseMs, signal);
      }
    };
    void watch();
  });
