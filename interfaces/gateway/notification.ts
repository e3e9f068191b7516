import type { Notification } from '../../application/gateway/notification.js';

/** Notifications use the prefix that the subscriber used. */
export type Prefix = 'evm' | 'eth';

/** Placeholder with the length of every subscription id. */
const placeholder = `0x${'0'.repeat(32)}`;

/** First byte of an unfragmented text frame, and the length codes (RFC 6455, 5.2). */
const wholeText = 0x81;
const [maxInOne, inTwo, maxInTwo, inEight] = [125, 126, 65_535, 127] as const;

/** Returns the frame header of a server's message of so many bytes (RFC 6455, 5.2). */
const headFor = (length: number): Buffer => {
  if (length <= maxInOne) return Buffer.from([wholeText, length]);
  const head = Buffer.alloc(length <= maxInTwo ? 4 : 10);
  head[0] = wholeText;
  head[1] = length <= maxInTwo ? inTwo : inEight;
  if (length <= maxInTwo) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return head;
};

/** Frame that all subscribers share; each writes its own id at `idAt`. */
type Frame = { bytes: Buffer; readonly idAt: number };

/** Builds the frame with a placeholder for the subscription id. */
const frameOf = ({ json }: Notification, prefix: Prefix): Frame => {
  const before = `{"jsonrpc":"2.0","method":"${prefix}_subscription","params":{"subscription":"`;
  const message = Buffer.from(`${before}${placeholder}","result":${json}}}`);
  const head = headFor(message.length);
  return { bytes: Buffer.concat([head, message]), idAt: head.length + before.length };
};

const createFrames = (prefix: Prefix) => {
  const made = new WeakMap<Notification, Frame>();
  // The last frame is kept because thousands of subscribers in a row get the same notification.
  let latest: { readonly told: Notification; readonly frame: Frame } | null = null;
  return (told: Notification): Frame => {
    if (latest?.told === told) return latest.frame;
    const frame = made.get(told) ?? frameOf(told, prefix);
    made.set(told, frame);
    latest = { told, frame };
    return frame;
  };
};

export const frameFor: Readonly<Record<Prefix, (told: Notification) => Frame>> = {
  evm: createFrames('evm'),
  eth: createFrames('eth'),
};
