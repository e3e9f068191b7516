/** Bytes of a secret in one of the encodings in which a file could hold it. */
export type Needle = { readonly form: string; readonly bytes: Buffer };

/** Readings of a secret: its characters, and the bytes that it encodes in hex or base64. */
const bytesOf = (secret: string): readonly (readonly [string, Buffer])[] => [
  ['text', Buffer.from(secret)],
  ...(/^(?:[0-9a-f]{2})+$/i.test(secret) ? [['hex bytes', Buffer.from(secret, 'hex')] as const] : []),
  ...(/^[A-Za-z0-9+/_-]{43}=?$/.test(secret) ? [['base64 bytes', Buffer.from(secret, 'base64')] as const] : []),
];

/** Encodes a secret at an offset in a group of three bytes, and keeps the characters that depend only on the secret. */
const base64At = (bytes: Buffer, offset: number, encoding: 'base64' | 'base64url') =>
  Buffer.concat([Buffer.alloc(offset), bytes])
    .toString(encoding)
    .slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));

const encodings: Readonly<Record<string, (bytes: Buffer) => Buffer | string>> = {
  'plain bytes': (bytes) => bytes,
  hex: (bytes) => bytes.toString('hex'),
  'upper-case hex': (bytes) => bytes.toString('hex').toUpperCase(),
  base64: (bytes) => base64At(bytes, 0, 'base64'),
  'base64 after one byte': (bytes) => base64At(bytes, 1, 'base64'),
  'base64 after two bytes': (bytes) => base64At(bytes, 2, 'base64'),
  base64url: (bytes) => base64At(bytes, 0, 'base64url'),
  'base64url after one byte': (bytes) => base64At(bytes, 1, 'base64url'),
  'base64url after two bytes': (bytes) => base64At(bytes, 2, 'base64url'),
};

export const formsOf = (secret: string): readonly Needle[] => {
  const all = bytesOf(secret).flatMap(([what, bytes]) =>
    Object.entries(encodings).map(([name, encode]) => ({
      form: `${what} of a secret as ${name}`,
      bytes: Buffer.from(encode(bytes) as string),
    })),
  );
  // Equal forms are listed once: the bytes of a hex text, encoded as hex, are the text again.
  return all.filter(({ bytes }, i) => all.findIndex((other) => other.bytes.equals(bytes)) === i);
};

const headBytes = 4;
const headAt = (bytes: Buffer, at: number) => bytes.readUInt32BE(at);
/**
 * Number of bits of a hashed head (the first four bytes of a needle). With so many bits, few places of the searched
 * data have the hash of a needle and need a comparison.
 */
const shortBits = 20;
const shortened = (head: number) => Math.imul(head, 0x9e3779b1) >>> (32 - shortBits);

/** Compares the last byte first, because that excludes most places and a call of `compare` costs more. */
const isAt = (wanted: Buffer, bytes: Buffer, at: number) =>
  bytes[at + wanted.length - 1] === wanted.at(-1) && wanted.compare(bytes, at, at + wanted.length) === 0;

/**
 * Creates a function that searches for all needles in one pass, because thousands of them in hundreds of megabytes must
 * not take minutes.
 */
export const createSearch = (needles: readonly Needle[]) => {
  const byHead = new Map<number, Needle[]>();
  const isPossible = new Uint8Array(2 ** shortBits);
  for (const needle of needles) {
    const head = headAt(needle.bytes, 0);
    const others = byHead.get(head);
    if (others) others.push(needle);
    else byHead.set(head, [needle]);
    isPossible[shortened(head)] = 1;
  }

  const startingAt = (bytes: Buffer, at: number, head: number) =>
    byHead.get(head)?.filter((needle) => isAt(needle.bytes, bytes, at)) ?? [];

  return (bytes: Buffer): readonly Needle[] => {
    const found = new Set<Needle>();
    if (bytes.length < headBytes) return [];
    let head = headAt(bytes, 0) >>> 8;
    for (let last = headBytes - 1; last < bytes.length; last++) {
      head = ((head << 8) | (bytes[last] as number)) >>> 0;
      if (isPossible[shortened(head)] === 0) continue;
      for (const needle of startingAt(bytes, last - headBytes + 1, head)) found.add(needle);
    }
    return [...found];
  };
};
