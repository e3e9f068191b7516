import { setTimeout as sleep } from 'node:timers/promises';
import { limited } from './limited.js';
import type { Member } from './member.js';

const pauseMs = 500;
const answerMs = 5000;
const rememberedHashes = 50_000;

type Notice = (hash: string) => void;

/** After a change of nodes the same transactions may be told of again. */
const onlyNew = (notice: Notice): Notice => {
  const seen = new Set<string>();
  return (hash) => {
    if (seen.has(hash)) return;
    seen.add(hash);
    const [oldest] = seen;
    if (seen.size > rememberedHashes && oldest !== undefined) seen.delete(oldest);
    notice(hash);
  };
};

const ask = async (member: Member, method: string, params: readonly unknown[]): Promise<unknown> => {
  const answer = await limited(answerMs, (waiter) => member.exchange(method, JSON.stringify(params), waiter));
  if ('error' in answer) throw new Error(`${method} was refused`);
  return JSON.parse(answer.result.toString()) as unknown;
};

/** Where a node does not speak first it collects them, and is asked. */
const poll = async (member: Member, notice: Notice, signal: AbortSignal) => {
  const filter = await ask(member, 'eth_newPendingTransactionFilter', []);
  while (!signal.aborted) {
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const hashes = await ask(member, 'eth_getFilterChanges', [filter]);
    for (const hash of Array.isArray(hashes) ? hashes : []) notice(String(hash));
  }
};

/** From one node at a time, from another when that fails. */
export const watchPending = async (members: readonly Member[], given: Notice, signal: AbortSignal) => {
  const notice = onlyNew(given);
  const hear = (hash: unknown) => {
    if (typeof hash === 'string') notice(hash);
  };
  const ways = members.flatMap((member) => {
    const { listen } = member;
    const heard = listen ? [() => listen('newPendingTransactions', hear, signal)] : [];
    return [...heard, () => poll(member, notice, signal)];
  });
  for (let i = 0; !signal.aborted; i = (i + 1) % ways.length) {
    await ways[i]?.().catch(() => undefined);
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
};
