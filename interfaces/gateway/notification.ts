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

type Template = { readonly frame: Buffer; readonly idAt: number };

const templates: Readonly<Record<Prefix, WeakMap<Told, Template>>> = { evm: new WeakMap(), eth: new WeakMap() };

const templateFor = (told: Told, prefix: Prefix): Template => {
  const made = templates[prefix].get(told);
  if (made) return made;
  const before = `{"jsonrpc":"2.0","method":"${prefix}_subscription","params":{"subscription":"`;
  const message = Buffer.from(`${before}${placeholder}","result":${told.json}}}`);
  const head = headFor(message.length);
  const template = { frame: Buffer.concat([head, message]), idAt: head.length + before.length };
  templates[prefix].set(told, template);
  return template;
};

/** As it goes over the wire. Written once for all subscribers; each gets a copy with its own id in it. */
export const frameFor = (told: Told, prefix: Prefix, id: string): Buffer => {
  const { frame, idAt } = templateFor(told, prefix);
  const own = Buffer.allocUnsafe(frame.length);
  frame.copy(own);
  own.write(id, idAt, 'latin1');
  return own;
};
