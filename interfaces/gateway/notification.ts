import type { Told } from '../../application/gateway/told.js';

/** Notifications use the prefix that the subscriber used. */
export type Prefix = 'evm' | 'eth';

/** As long as every id is. */
const placeholder = `0x${'0'.repeat(32)}`;

/** Of WebSocket: a whole message of text, and how lengths that do not fit into one byte are announced. */
const wholeText = 0x81;
const [mostInOne, inTwo, mostInTwo, inEight] = [125, 126, 65_535, 127] as const;

/** What precedes a message of so many bytes from a server (RFC 6455, 5.2). */
const headFor = (length: number): Buffer => {
  if (length <= mostInOne) return Buffer.from([wholeText, length]);
  const head = Buffer.alloc(length <= mostInTwo ? 4 : 10);
  head[0] = wholeText;
  head[1] = length <= mostInTwo ? inTwo : inEight;
  if (length <= mostInTwo) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return head;
};

/** Written once for all subscribers; each puts its own id there. */
type Frame = { bytes: Buffer; readonly idAt: number };

const frames: Readonly<Record<Prefix, WeakMap<Told, Frame>>> = { evm: new WeakMap(), eth: new WeakMap() };

/** As it goes over the wire, with nobody's id in it. */
export const frameFor = (told: Told, prefix: Prefix): Frame => {
  const made = frames[prefix].get(told);
  if (made) return made;
  const before = `{"jsonrpc":"2.0","method":"${prefix}_subscription","params":{"subscription":"`;
  const message = Buffer.from(`${before}${placeholder}","result":${told.json}}}`);
  const head = headFor(message.length);
  const frame = { bytes: Buffer.concat([head, message]), idAt: head.length + before.length };
  frames[prefix].set(told, frame);
  return frame;
};
