/** Hash of an inner node of the tree over those of its two children. */
export type NodeHash = (left: string, right: string) => string;

/** Leaves from an index up to another, exclusive, which make one subtree of the tree of RFC 9162, section 2.1. */
export type Subtree = { readonly from: number; readonly to: number };

/** Returns the largest power of two below a size: the leaves of the left subtree. */
const leftSize = (size: number) => {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
};

/** Lists the subtrees whose roots make the audit path of a leaf, from the leaf up (RFC 9162, section 2.1.3.1). */
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

/** Lists the subtrees whose roots prove that the tree of `size` continues one of `first` leaves (section 2.1.4.1). */
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
  // A root of the whole first tree is left out, because the checker has that root.
  return from === 0 ? path.reverse() : [{ from, to }, ...path.reverse()];
};

/** Divides a subtree into the complete ones, with a power of two of leaves each, whose roots make its root. */
export const completeParts = ({ from, to }: Subtree): readonly Subtree[] => {
  const parts: Subtree[] = [];
  for (let at = from; at < to; ) {
    const size = leftSize(to - at + 1);
    parts.push({ from: at, to: at + size });
    at += size;
  }
  return parts;
};

/** Returns the root over the roots of complete parts, largest first. */
export const rootOfParts = (roots: readonly string[], node: NodeHash): string =>
  roots.reduceRight((right, left) => node(left, right));

const isOdd = (number: number) => number % 2 === 1;
const half = (number: number) => Math.floor(number / 2);

/** Place of a node on its level: its index, and that of the level's last node. */
type Place = { readonly at: number; readonly last: number };
const above = ({ at, last }: Place): Place => ({ at: half(at), last: half(last) });

/** Climbs to the root, telling on which side each sibling is; returns whether the path is as long as the tree is high. */
const climb = (start: Place, path: readonly string[], take: (sibling: string, isLeft: boolean) => void): boolean => {
  let place = start;
  for (const sibling of path) {
    if (place.last === 0) return false;
    const isLeft = isOdd(place.at) || place.at === place.last;
    take(sibling, isLeft);
    // The last node of a level without a sibling stands for its parent.
    while (isLeft && place.at !== 0 && !isOdd(place.at)) place = above(place);
    place = above(place);
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

/** Tells whether a leaf is at its index below a root (section 2.1.3.2). */
export const isIncluded = ({ index, size, leaf, path, root }: Inclusion, node: NodeHash): boolean => {
  if (!(index >= 0 && index < size)) return false;
  let hash = leaf;
  const isWhole = climb({ at: index, last: size - 1 }, path, (sibling, isLeft) => {
    hash = isLeft ? node(sibling, hash) : node(hash, sibling);
  });
  return isWhole && hash === root;
};

type Tree = { readonly size: number; readonly root: string };

const isGrown = (first: Tree, second: Tree, path: readonly string[], node: NodeHash) => {
  let shared: Place = { at: first.size - 1, last: second.size - 1 };
  while (isOdd(shared.at)) shared = above(shared);
  // A first tree of a power of two is itself the last subtree that both share, so the path leaves that out.
  const [start = '', ...rest] = shared.at === 0 ? [first.root, ...path] : path;
  let [before, after] = [start, start];
  const isWhole = climb(shared, rest, (sibling, isLeft) => {
    if (isLeft) before = node(sibling, before);
    after = isLeft ? node(sibling, after) : node(after, sibling);
  });
  return isWhole && before === first.root && after === second.root;
};

/** Tells whether the second tree begins with all leaves of the first, in their order (section 2.1.4.2). */
export const isContinued = (first: Tree, second: Tree, path: readonly string[], node: NodeHash): boolean => {
  if (first.size === second.size) return path.length === 0 && first.root === second.root;
  if (first.size > second.size || first.size < 0) return false;
  // Any tree continues the empty one, of which there is nothing to prove.
  return first.size === 0 ? path.length === 0 : isGrown(first, second, path, node);
};
