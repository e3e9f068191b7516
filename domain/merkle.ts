/** Computes SHA-256 as lowercase hex. A string is hashed as UTF-8. */
export type ByteDigest = (bytes: Uint8Array | string) => string;

/**
 * Roots of the complete subtrees of a Merkle tree (RFC 9162), largest first. These roots are all that is needed to
 * append a leaf and to compute the root, whatever the size of the tree.
 */
export type Frontier = { readonly size: number; readonly peaks: readonly string[] };

export const emptyFrontier: Frontier = { size: 0, peaks: [] };

const nodePrefix = 0x01;
const putHex = (bytes: Uint8Array, offset: number, hex: string) => {
  for (let n = 0; n < hex.length / 2; n++) bytes[offset + n] = Number.parseInt(hex.slice(2 * n, 2 * n + 2), 16);
};

/** Hashes a leaf with the prefix 0x00, which no inner node has, so that a leaf cannot pass as an inner node. */
export const leafHash = (text: string, digest: ByteDigest): string => digest(`\0${text}`);

export const nodeHash = (left: string, right: string, digest: ByteDigest): string => {
  const bytes = new Uint8Array(1 + (left.length + right.length) / 2);
  bytes[0] = nodePrefix;
  putHex(bytes, 1, left);
  putHex(bytes, 1 + left.length / 2, right);
  return digest(bytes);
};

export const appendLeaf = ({ size, peaks }: Frontier, leaf: string, digest: ByteDigest): Frontier => {
  let hash = leaf;
  let kept = peaks.length;
  // Each trailing 1 bit of the size stands for a complete subtree, which merges with the new subtree of the same size
  // on its right.
  for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) hash = nodeHash(peaks[--kept] as string, hash, digest);
  return { size: size + 1, peaks: [...peaks.slice(0, kept), hash] };
};

/** Returns the root of the tree. The root of the empty tree is the hash of the empty string. */
export const rootOf = ({ peaks }: Frontier, digest: ByteDigest): string =>
  peaks.length === 0 ? digest('') : peaks.reduceRight((right, left) => nodeHash(left, right, digest));
