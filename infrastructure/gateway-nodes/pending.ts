import { setTimeout as sleep } from 'node:timers/promises';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import { waitingInPool } from '../../domain/rpc-value.js';
import type { Member } from './member.js';
import { limited } from './with-timeout.js';

const pauseMs = 500;
const answerMs = 5000;
const longestBeginMs = 1000;
const rememberedHashes = 50_000;

type Notice = (hash: string) => void;

/** After a change of nodes the same transactions may be told of again. */
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
  const answer = await limited(answerMs, (waiter) => member.exchange(method, JSON.stringify(params), waiter));
  if ('error' in answer) throw new Error(`${method} was refused`);
  return JSON.parse(answer.result.toString()) as unknown;
};

const hashesIn = (content: unknown): readonly string[] =>
  waitingInPool(content).flatMap(({ hash }) => (typeof hash === 'string' ? [hash] : []));

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);

/** What a node that shows its pool holds, as often as that costs it no more than a tenth of its time. */
const inspect = async (member: Member, tell: (hashes: readonly string[]) => void, signal: AbortSignal) => {
  while (!signal.aborted) {
    const startedAt = performance.now();
    tell(hashesIn(await ask(member, 'txpool_content', [])));
    await pause(Math.max(pauseMs, 10 * (performance.now() - startedAt)), signal);
  }
};

/** Where a node neither speaks first nor shows its pool it collects them, and is asked. */
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
  /** Of one that is new. */
  readonly notice: Notice;
  /** Of all that wait. */
  readonly tellHeld: (hashes: readonly string[]) => void;
  /** From here on nothing is missed, unless that node fails. */
  readonly begun: (member: Member) => void;
};

const waysTo = (member: Member, { notice, tellHeld, begun }: Ears, signal: AbortSignal): readonly Way[] => {
  const { listen } = member;
  const hear = (hash: unknown) => {
    if (typeof hash === 'string') notice(hash);
  };
  return [
    ...(listen ? [() => listen('newPendingTransactions', hear, signal, () => begun(member))] : []),
    () => inspect(member, tellHeld, signal),
    () => poll(member, notice, () => begun(member), signal),
  ];
};

/**
 * From one node at a time, from another when that fails; what came meanwhile and still waits is told of then. Resolves when
 * it has begun, or that takes too long: what waited before is not told of.
 */
export const watchPending = (members: readonly Member[], given: Notice, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const { notice, note } = onlyNew(given);
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
      resolve();
    };
    setTimeout(begin, longestBeginMs).unref();
    const tellHeld = (hashes: readonly string[]) => {
      for (const hash of hashes) (hasBegun ? notice : note)(hash);
      begin();
    };
    const catchUp = async (member: Member) => tellHeld(hashesIn(await ask(member, 'txpool_content', [])));
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
