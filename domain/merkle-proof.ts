/** Computes the hash of an inner node from the hashes of its two children. */
export type NodeHash = (left: string, right: string) => string;

/** Subtree of the Merkle tree of RFC 9162, section 2.1, over the leaves from `from` up to, but not including, `to`. */
export type Subtree = { readonly from: number; readonly to: number };

/** Returns the number of leaves in the left subtree: the largest power of two below `size`. */
const leftSize = (size: number) => {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
};

/** Lists the subtrees whose roots form the inclusion proof of a leaf, from the leaf up (RFC 9162, section 2.1.3.1). */
export const inclusionPath = (index: number, size: number): readonly Subtree[] => {
  const path: Subtree[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + leftSize(to - from);
    const isLeft = index < middle;
    path.push(isLeft ? { from: middle, to } : { from, to: middle });
    if (isLeft) to = middle;
    else from = middle;
  }
  return path.reverse();
};

/**
 * Lists the subtrees whose roots form the consistency proof between the tree with `first` leaves and the tree with
 * `size` leaves (RFC 9162, section 2.1.4.1).
 */
export const consistencyPath = (first: number, size: number): readonly Subtree[] => {
  if (first <= 0 || first >= size) return [];
  const path: Subtree[] = [];
  let [from, to] = [0, size];
  while (first < to) {
    const middle = from + leftSize(to - from);
    const isLeft = first <= middle;
    path.push(isLeft ? { from: middle, to } : { from, to: middle });
    if (isLeft) to = middle;
    else from = middle;
  }
  // The root of the whole first tree is omitted, because the verifier already has it.
  return from === 0 ? path.reverse() : [{ from, to }, ...path.reverse()];
};

/**
 * Splits a subtree into complete subtrees, largest first. The number of leaves in a complete subtree is a power of two.
 */
export const completeParts = ({ from, to }: Subtree): readonly Subtree[] => {
  const parts: Subtree[] = [];
  for (let at = from; at < to; ) {
    const size = leftSize(to - at + 1);
    parts.push({ from: at, to: at + size });
    at += size;
  }
  return parts;
};

/** Computes the root of a subtree from the roots of its complete parts, largest first. */
export const rootOfParts = (roots: readonly string[], node: NodeHash): string =>
  roots.reduceRight((right, left) => node(left, right));

const isOdd = (number: number) => number % 2 === 1;
const half = (number: number) => Math.floor(number / 2);

/** Position of a node in its level: the index of the node, and the index of the last node in that level. */
type Place = { readonly at: number; readonly last: number };
const parentOf = ({ at, last }: Place): Place => ({ at: half(at), last: half(last) });

/**
 * Walks from a node up to the root and calls `take` with each sibling on the path; `isLeft` is true if the sibling is
 * the left child. Returns true if the path ends exactly at the root.
 */
const climb = (start: Place, path: readonly string[], take: (sibling: string, isLeft: boolean) => void): boolean => {
  let place = start;
  for (const sibling of path) {
    if (place.last === 0) return false;
    const isLeft = isOdd(place.at) || place.at === place.last;
    take(sibling, isLeft);
    // The last node of a level has no sibling if its index is even. Its parent has the same hash, so the level is
    // skipped.
    while (isLeft && place.at !== 0 && !isOdd(place.at)) place = parentOf(place);
    place = parentOf(place);
  }
  return place.last === 0;
};

type Inclusion = {
  readonly index: number;
  readonly size: number;
  /** Hash of the leaf. */
  readonly leaf: string;
  readonly path: readonly string[];
  readonly root: string;
};

/** Verifies that `leaf` is the leaf at `index` of the tree with this root (RFC 9162, section 2.1.3.2). */
export const isIncluded = ({ index, size, leaf, path, root }: Inclusion, node: NodeHash): boolean => {
  if (!(index >= 0 && index < size)) return false;
  let hash = leaf;
  const isWhole = climb({ at: index, last: size - 1 }, path, (sibling, isLeft) => {
    hash = isLeft ? node(sibling, hash) : node(hash, sibling);
  });
  return isWhole && hash === root;
};

type Tree = { readonly size: number; readonly root: string };

const extendsTree = (first: Tree, second: Tree, path: readonly string[], node: NodeHash) => {
  let shared: Place = { at: first.size - 1, last: second.size - 1 };
  while (isOdd(shared.at)) shared = parentOf(shared);
  // A first tree whose number of leaves is a power of two is a single node of the second tree. The proof omits this
  // node, because the verifier already has its hash, which is the root of the first tree.
  const [start = '', ...rest] = shared.at === 0 ? [first.root, ...path] : path;
  let [before, after] = [start, start];
  const isWhole = climb(shared, rest, (sibling, isLeft) => {
    if (isLeft) before = node(sibling, before);
    after = isLeft ? node(sibling, after) : node(after, sibling);
  });
  return isWhole && before === first.root && after === second.root;
};

/** Verifies that the second tree begins with all leaves of the first, in order (RFC 9162, section 2.1.4.2). */
export const isConsistent = (first: Tree, second: Tree, path: readonly string[], node: NodeHash): boolean => {
  if (first.size === second.size) return path.length === 0 && first.root === second.root;
  if (first.size > second.size || first.size < 0) return false;
  // Every tree is consistent with the empty tree, so the proof is empty.
  return first.size === 0 ? path.length === 0 : extendsTree(first, second, path, node);
};
