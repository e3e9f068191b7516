import type { Told } from '../../application/gateway/notification.js';

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

/** As it goes over the wire, with nobody's id in it. */
const frameOf = ({ json }: Told, prefix: Prefix): Frame => {
  const before = `{"jsonrpc":"2.0","method":"${prefix}_subscription","params":{"subscription":"`;
  const message = Buffer.from(`${before}${placeholder}","result":${json}}}`);
  const head = headFor(message.length);
  return { bytes: Buffer.concat([head, message]), idAt: head.length + before.length };
};

const createFrames = (prefix: Prefix) => {
  const made = new WeakMap<Told, Frame>();
  // Thousands in a row are told the same.
  let latest: { readonly told: Told; readonly frame: Frame } | null = null;
  return (told: Told): Frame => {
    if (latest?.told === told) return latest.frame;
    const frame = made.get(told) ?? frameOf(told, prefix);
    made.set(told, frame);
    latest = { told, frame };
    return frame;
  };
};

export const frameFor: Readonly<Record<Prefix, (told: Told) => Frame>> = {
  evm: createFrames('evm'),
  eth: createFrames('eth'),
};
