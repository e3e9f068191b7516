import type { Slice } from '@ton/core';
import { type Comment, commentIn, noComment, op, opIn } from '../message.js';

/** Order that a message gives to a jetton wallet: to send, receive, burn or take back jettons. */
export type JettonOrder = {
  readonly kind: 'send' | 'receive' | 'burn' | 'take back';
  readonly amount: string;
  /** Counterparty: receiver or sender. Null if the message does not name one. */
  readonly other: string | null;
  readonly comment: Comment;
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
/**
 * Reads the comment from the forward payload, which is inline or in a separate cell. A malformed payload has no
 * comment.
 */
const forwardedIn = (body: Slice, skipRest: (body: Slice) => unknown): Comment =>
  orNull(() => {
    body.loadMaybeAddress();
    skipRest(body);
    body.loadCoins();
    return commentIn(body.loadBit() ? body.loadRef().beginParse() : body);
  }) ?? noComment;

/** Op codes of messages that take jettons out of a wallet. The wallet gets the jettons back if the message bounces. */
const carriers: readonly number[] = [op.jettonInternalTransfer, op.jettonBurnNotification];
const takenBack = (original: Slice): JettonOrder => {
  if (!carriers.includes(original.loadUint(32))) throw new Error('The bounced message carries no jettons.');
  return { kind: 'take back', amount: amountIn(original), other: null, comment: noComment };
};

const readers: Readonly<Record<number, (body: Slice) => JettonOrder>> = {
  [op.jettonTransfer]: (body) => ({
    kind: 'send',
    amount: amountIn(body),
    other: otherIn(body),
    comment: forwardedIn(body, (rest) => rest.loadMaybeRef()),
  }),
  [op.jettonInternalTransfer]: (body) => ({
    kind: 'receive',
    amount: amountIn(body),
    other: otherIn(body),
    comment: forwardedIn(body, () => undefined),
  }),
  [op.jettonBurn]: (body) => ({ kind: 'burn', amount: amountIn(body), other: null, comment: noComment }),
  [op.bounced]: takenBack,
  [op.bouncedWhole]: (body) => takenBack(body.loadRef().beginParse()),
};

/**
 * Reads the order from the body of a message. Returns null for any other message, whose effect shows only in the
 * balance.
 */
export const readJettonOrder = (body: Slice | null): JettonOrder | null => {
  const read = body && readers[opIn(body) ?? Number.NaN];
  return read ? orNull(() => read(body.skip(32))) : null;
};
