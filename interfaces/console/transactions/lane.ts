import type { ManagedTransaction } from '../../../sdk/typescript/src/generated.js';

/**
 * Entry in the list of nonces of a sender: the transactions with one nonce, or a range of nonces without a transaction.
 */
export type Place =
  | { readonly kind: 'held'; readonly nonce: number; readonly transactions: readonly ManagedTransaction[] }
  | { readonly kind: 'gap' | 'elsewhere'; readonly first: number; readonly last: number };

/** Transaction states, ordered by how certainly they determine the outcome of a nonce, the most certain first. */
const certainty = ['CONFIRMED', 'FAILED', 'CANCELED', 'MINED', 'CANCELING', 'SENT', 'SIGNED', 'CREATED', 'REPLACED'];
const inBlock = ['CONFIRMED', 'FAILED', 'CANCELED', 'MINED', 'REPLACED'];

export const stateName = ({ transaction_state }: ManagedTransaction): string =>
  transaction_state.replace('TRANSACTION_STATE_', '');

/** Returns true for a transaction that was canceled before it was sent: its nonce is free again. */
const isReleased = (transaction: ManagedTransaction) =>
  stateName(transaction) === 'CANCELED' && transaction.mine_time === undefined;

const rank = (transaction: ManagedTransaction) => certainty.indexOf(stateName(transaction));

/**
 * Orders the transactions of one sender by nonce. Missing nonces below the highest nonce in a block were used outside
 * the service (`elsewhere`); missing nonces above it are a gap, which blocks every later transaction.
 */
export const laneOf = (transactions: readonly ManagedTransaction[]): readonly Place[] => {
  const byNonce = new Map<number, ManagedTransaction[]>();
  for (const transaction of transactions.filter((one) => !isReleased(one))) {
    const nonce = Number(transaction.nonce);
    byNonce.set(nonce, [...(byNonce.get(nonce) ?? []), transaction]);
  }
  const held = [...byNonce].toSorted(([a], [b]) => a - b);
  const highestUsed = held.findLast(([, all]) => all.some((one) => inBlock.includes(stateName(one))))?.[0] ?? -1;
  return held.flatMap(([nonce, all], index): readonly Place[] => {
    const previous = held[index - 1]?.[0] ?? nonce - 1;
    const kind = nonce <= highestUsed ? 'elsewhere' : 'gap';
    return [
      ...(nonce > previous + 1 ? [{ kind, first: previous + 1, last: nonce - 1 } as const] : []),
      { kind: 'held', nonce, transactions: all.toSorted((a, b) => rank(a) - rank(b)) },
    ];
  });
};
