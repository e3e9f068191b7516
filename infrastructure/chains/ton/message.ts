import { Cell, type Slice } from '@ton/core';
import { failInvalidAnswer } from '../../nodes/node-fault.js';
import { isRaw, type Raw } from '../../nodes/raw.js';
import { decimal, part } from './wire.js';

/** Operation codes: the first 32 bits of a message's body. */
export const op = {
  text: 0,
  jettonTransfer: 0x0f8a7ea5,
  jettonInternalTransfer: 0x178d4519,
  jettonBurn: 0x595f07bc,
  jettonBurnNotification: 0x7bdd97de,
  encryptedText: 0x2167da4b,
  bounced: 0xffffffff,
  /** Returned message in the form of the virtual machine's version 12, which has the original body in a cell of its own. */
  bouncedWhole: 0xfffffffe,
} as const;

/** Comment of a message; only its receiver and sender can read an encrypted one, whose text is empty here. */
export type Comment = { readonly text: string; readonly isEncrypted: boolean };
export const noComment: Comment = { text: '', isEncrypted: false };

/** Longest comment that is kept. */
const maxCharacters = 8192;
/** Number of currencies of a message that are kept: more than the networks of today allow. */
const maxCurrencies = 16;

/** Reads the body of a message; null if there is none or it is malformed. */
export const bodyOf = (message: Raw): Slice | null => {
  const { body } = part(message.message_content);
  if (typeof body !== 'string') return null;
  try {
    return Cell.fromBase64(body).beginParse();
  } catch {
    return null;
  }
};

export const opIn = (body: Slice) => (body.remainingBits >= 32 ? body.preloadUint(32) : null);

const textIn = (body: Slice): string => {
  try {
    return body.skip(32).loadStringTail().slice(0, maxCharacters);
  } catch {
    return '';
  }
};

/** Reads the comment from a body. */
export const commentIn = (body: Slice | null): Comment => {
  const code = body && opIn(body);
  if (code === op.encryptedText) return { text: '', isEncrypted: true };
  return body && code === op.text ? { text: textIn(body), isEncrypted: false } : noComment;
};

/** Returns the comment of a message, which newer indexes already decode. */
export const commentOf = (message: Raw): Comment => {
  const { decoded } = part(message.message_content);
  if (isRaw(decoded) && decoded.type === 'text_comment' && typeof decoded.comment === 'string')
    return { text: decoded.comment.slice(0, maxCharacters), isEncrypted: false };
  return commentIn(bodyOf(message));
};

const currencyId = /^\d{1,10}$/;
/** Lists the currencies besides the coin that a message carries, as `id=amount`; empty if there are none. */
export const extraCurrenciesOf = ({ value_extra_currencies }: Raw): string =>
  Object.entries(part(value_extra_currencies))
    .map(([id, amount]) => {
      if (!currencyId.test(id)) return failInvalidAnswer('the currency of a message has no number');
      return `${id}=${decimal(amount, 'the amount of a currency')}`;
    })
    .slice(0, maxCurrencies)
    .join();
