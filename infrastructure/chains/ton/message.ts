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
  /** Bounced message of TVM version 12, which has the original body in a separate cell. */
  bouncedWhole: 0xfffffffe,
} as const;

/** Comment of a message. The text is empty if it is encrypted, because only sender and receiver can read it. */
export type Comment = { readonly text: string; readonly isEncrypted: boolean };
export const noComment: Comment = { text: '', isEncrypted: false };

/** Maximum length of a stored comment in characters. */
const maxCommentLength = 8192;
/** Maximum number of extra currencies that are stored for a message; networks allow fewer. */
const maxCurrencies = 16;

/** Parses the body of a message; null if it is missing or malformed. */
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
    return body.skip(32).loadStringTail().slice(0, maxCommentLength);
  } catch {
    return '';
  }
};

export const commentIn = (body: Slice | null): Comment => {
  const code = body && opIn(body);
  if (code === op.encryptedText) return { text: '', isEncrypted: true };
  return body && code === op.text ? { text: textIn(body), isEncrypted: false } : noComment;
};

/** Returns the comment of a message. Newer indexes return the comment already decoded. */
export const commentOf = (message: Raw): Comment => {
  const { decoded } = part(message.message_content);
  if (isRaw(decoded) && decoded.type === 'text_comment' && typeof decoded.comment === 'string')
    return { text: decoded.comment.slice(0, maxCommentLength), isEncrypted: false };
  return commentIn(bodyOf(message));
};

const currencyId = /^\d{1,10}$/;
/** Lists the extra currencies of a message as comma-separated `id=amount`; empty if there are none. */
export const extraCurrenciesOf = ({ value_extra_currencies }: Raw): string =>
  Object.entries(part(value_extra_currencies))
    .map(([id, amount]) => {
      if (!currencyId.test(id)) return failInvalidAnswer('returned a message with an invalid currency id');
      return `${id}=${decimal(amount, 'the amount of a currency')}`;
    })
    .slice(0, maxCurrencies)
    .join();
