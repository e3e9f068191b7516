import type { Notification } from '../../application/gateway/notification.js';

/** Prefix of the method in a notification: `evm` or `eth`, whichever the client used in its subscribe call. */
export type Prefix = 'evm' | 'eth';

/** Placeholder for a subscription id, with the same length. */
const placeholder = `0x${'0'.repeat(32)}`;

/** First byte of an unfragmented text frame, and the length codes (RFC 6455, section 5.2). */
const wholeText = 0x81;
const [maxInOne, inTwo, maxInTwo, inEight] = [125, 126, 65_535, 127] as const;

/** Returns the header of a server frame with `length` bytes of payload (RFC 6455, section 5.2). */
const headFor = (length: number): Buffer => {
  if (length <= maxInOne) return Buffer.from([wholeText, length]);
  const head = Buffer.alloc(length <= maxInTwo ? 4 : 10);
  head[0] = wholeText;
  head[1] = length <= maxInTwo ? inTwo : inEight;
  if (length <= maxInTwo) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return head;
};

/** Frame shared by all subscribers. The subscriber's own id is written at the offset `idAt` before each sending. */
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
  // The last frame is cached, because thousands of subscribers in a row get the same notification.
  let latest: { readonly notification: Notification; readonly frame: Frame } | null = null;
  return (notification: Notification): Frame => {
    if (latest?.notification === notification) return latest.frame;
    const frame = made.get(notification) ?? frameOf(notification, prefix);
    made.set(notification, frame);
    latest = { notification, frame };
    return frame;
  };
};

export const frameFor: Readonly<Record<Prefix, (notification: Notification) => Frame>> = {
  evm: createFrames('evm'),
  eth: createFrames('eth'),
};
