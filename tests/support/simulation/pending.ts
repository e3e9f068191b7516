import type { PendingTransaction, PendingTransactions } from '../../../application/ports/pending.js';
import type { Gate } from './gate.js';

export type PendingPool = Map<string, PendingTransaction>;

const scannedAtOnce = 100;
const compare = <T>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);
const bySeen = (a: PendingTransaction, b: PendingTransaction) =>
  compare(a.firstSeen, b.firstSeen) || compare(a.hash, b.hash);
const byNonce = (a: PendingTransaction, b: PendingTransaction) => compare(a.nonce, b.nonce) || bySeen(a, b);

/** Opens the pool of pending transactions, which all processes share, for one process. */
export const simulatedPending = (pool: PendingPool, gate: Gate): PendingTransactions => {
  const call = <T>(name: string, effect: () => T) => gate.call(`pending.${name}`, effect);
  const all = () => [...pool.values()];
  return {
    add: (transactions) =>
      call('add', () => {
        for (const one of transactions) if (!pool.has(one.hash)) pool.set(one.hash, one);
      }),
    find: (hash) => call('find', () => pool.get(hash) ?? null),
    listFrom: (sender, nonce) =>
      call('listFrom', () =>
        all()
          .filter((one) => one.from === sender && (nonce === undefined || one.nonce === nonce))
          .sort(byNonce),
      ),
    scan: (after) =>
      call('scan', () =>
        all()
          .filter((one) => after === null || bySeen(one, after) > 0)
          .sort(bySeen)
          .slice(0, scannedAtOnce),
      ),
    forget: (hashes) =>
      call('forget', () => {
        for (const hash of hashes) pool.delete(hash);
      }),
    forgetUsed: (used) =>
      call('forgetUsed', () => {
        const isUsed = (one: PendingTransaction) =>
          used.some(({ from, nonce }) => one.from === from && one.nonce <= nonce);
        for (const { hash } of all().filter(isUsed)) pool.delete(hash);
      }),
    trim: (since, maxCount) =>
      call('trim', () => {
        for (const { hash, firstSeen } of all()) if (firstSeen < since) pool.delete(hash);
        for (const { hash } of all()
          .sort(bySeen)
          .slice(0, Math.max(0, pool.size - maxCount)))
          pool.delete(hash);
      }),
    close: async () => undefined,
  };
};
