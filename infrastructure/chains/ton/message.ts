import { Cell, type Slice } from '@ton/core';
import { isRaw, type Raw } from '../nodes/raw.js';
import { part } from './wire.js';

/** The first 32 bits of a message's body say what it is. */
export const op = {
  text: 0,
  jettonTransfer: 0x0f8a7ea5,
  jettonInternalTransfer: 0x178d4519,
  bounced: 0xffffffff,
} as const;

/** Longer than any comment that people write, and short enough to show. */
const mostCharacters = 8192;

/** Null when there is none, or it cannot be read. */
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

/** What a body says in plain words. */
export const textIn = (body: Slice | null): string => {
  if (!body || opIn(body) !== op.text) return '';
  try {
    return body.skip(32).loadStringTail().slice(0, mostCharacters);
  } catch {
    return '';
  }
};

/** The comment of a message; newer indexes give it in plain. */
export const commentOf = (message: Raw): string => {
  const { decoded } = part(message.message_content);
  if (isRaw(decoded) && decoded.type === 'text_comment' && typeof decoded.comment === 'string')
    return decoded.comment.slice(0, mostCharacters);
  return textIn(bodyOf(message));
};
