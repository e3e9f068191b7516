import type { Slice } from '@ton/core';
import { op, opIn, textIn } from './message.js';

/** What a message tells a jetton wallet to do. */
export type JettonOrder = {
  readonly kind: 'send' | 'receive' | 'take back';
  readonly amount: string;
  /** Who gets it or has sent it; null where the message does not say. */
  readonly other: string | null;
  readonly comment: string;
};

const orNull = <T>(read: () => T): T | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

const amountIn = (body: Slice) => body.skip(64).loadCoins().toString();
const otherIn = (body: Slice) => body.loadMaybeAddress()?.toRawString() ?? null;
/** After whom to answer and what to forward: a payload, here or in a cell of its own. What is odd about it is the sender's affair. */
const commentIn = (body: Slice, skipRest: (body: Slice) => unknown) =>
  orNull(() => {
    body.loadMaybeAddress();
    skipRest(body);
    body.loadCoins();
    return textIn(body.loadBit() ? body.loadRef().beginParse() : body);
  }) ?? '';

const readers: Readonly<Record<number, (body: Slice) => JettonOrder>> = {
  [op.jettonTransfer]: (body) => ({
    kind: 'send',
    amount: amountIn(body),
    other: otherIn(body),
    comment: commentIn(body, (rest) => rest.loadMaybeRef()),
  }),
  [op.jettonInternalTransfer]: (body) => ({
    kind: 'receive',
    amount: amountIn(body),
    other: otherIn(body),
    comment: commentIn(body, () => undefined),
  }),
  [op.bounced]: (body) => {
    if (body.loadUint(32) !== op.jettonInternalTransfer) throw new Error('something else came back');
    return { kind: 'take back', amount: amountIn(body), other: null, comment: '' };
  },
};

/** Null for every other message: whatever that does shows in the balance. */
export const readJettonOrder = (body: Slice | null): JettonOrder | null => {
  const read = body && readers[opIn(body) ?? Number.NaN];
  return read ? orNull(() => read(body.skip(32))) : null;
};
