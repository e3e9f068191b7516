import type { Slice } from '@ton/core';
import { type Comment, commentIn, noComment, op, opIn } from '../message.js';

/** Instruction of a message to a jetton wallet. */
export type JettonOrder = {
  readonly kind: 'send' | 'receive' | 'burn' | 'take back';
  readonly amount: string;
  /** Receiver or sender; null if the message does not name one. */
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
 * Reads the comment from the forward payload, which is inline or in a cell of its own; a malformed one counts as none.
 */
const forwardedIn = (body: Slice, skipRest: (body: Slice) => unknown): Comment =>
  orNull(() => {
    body.loadMaybeAddress();
    skipRest(body);
    body.loadCoins();
    return commentIn(body.loadBit() ? body.loadRef().beginParse() : body);
  }) ?? noComment;

/** Messages of a jetton wallet that take jettons out of it, and put them back when they are returned. */
const carriers: readonly number[] = [op.jettonInternalTransfer, op.jettonBurnNotification];
const takenBack = (original: Slice): JettonOrder => {
  if (!carriers.includes(original.loadUint(32))) throw new Error('a message that carries no jettons bounced');
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

/** Reads the instruction; null for any other message, whose effect shows in the balance. */
export const readJettonOrder = (body: Slice | null): JettonOrder | null => {
  const read = body && readers[opIn(body) ?? Number.NaN];
  return read ? orNull(() => read(body.skip(32))) : null;
};
