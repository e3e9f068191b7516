import { type LogLeaf, leafText } from '../../../domain/aggregates/audit/seal-log.js';
import { appendLeaf, emptyFrontier, leafHash, nodeHash, rootOf } from '../../../domain/merkle.js';
import { completeParts, rootOfParts, type Subtree } from '../../../domain/merkle-proof.js';
import { createMutex } from '../../async/mutex.js';
import type { System } from '../../ports/system.js';
import type { SealLog } from '../seals/seal-log.js';

export type LogTree = {
  /** Returns the roots of subtrees of the log. */
  roots(subtrees: readonly Subtree[]): Promise<readonly string[]>;
};

/**
 * Number of leaves of the smallest subtree whose root is cached. The root of a smaller subtree is computed again from
 * the leaves of its block.
 */
const blockSize = 256;
const blockOf = (index: number) => Math.floor(index / blockSize);

/**
 * Creates a tree that computes roots of subtrees of the log. The leaves are read once, block by block, and the roots of
 * blocks are cached (about half a mebibyte for a million leaves), so that a proof reads a few blocks, not the whole
 * log.
 */
export const createLogTree = (log: Pick<SealLog, 'leaves'>, { sha256, breathe }: System): LogTree => {
  const node = (left: string, right: string) => nodeHash(left, right, sha256);
  /** Roots of complete subtrees by level; level 0 holds the roots of single blocks. */
  const levels: string[][] = [];
  const inOrder = createMutex();

  const hashOf = (leaf: LogLeaf) => leafHash(leafText(leaf), sha256);
  const hashesOf = async ({ from, to }: Subtree) => {
    await breathe();
    const hashes: string[] = [];
    for await (const leaf of log.leaves(from, to)) {
      // Stops at the last leaf of the subtree, because another step of the iteration could read the next block.
      if (hashes.push(hashOf(leaf)) === to - from) break;
    }
    if (hashes.length !== to - from) throw new Error(`The seal log has no entry ${from + hashes.length}.`);
    return hashes;
  };
  const rootOver = (hashes: readonly string[]) => {
    const frontier = hashes.reduce((before, hash) => appendLeaf(before, hash, sha256), emptyFrontier);
    return rootOf(frontier, sha256);
  };
  const keep = (root: string, level = 0): void => {
    const roots = levels[level] ?? [];
    levels[level] = roots;
    roots.push(root);
    if (roots.length % 2 === 0) keep(node(roots.at(-2) as string, root), level + 1);
  };
  /** Reads the complete blocks among the first `size` leaves, except blocks with a cached root. */
  const fill = (size: number) =>
    inOrder(async () => {
      for (let block = levels[0]?.length ?? 0; block < blockOf(size); block++)
        keep(rootOver(await hashesOf({ from: block * blockSize, to: (block + 1) * blockSize })));
    });

  const rootOfPart = async ({ from, to }: Subtree, small: (part: Subtree) => Promise<string>) => {
    const blocks = (to - from) / blockSize;
    return blocks < 1 ? small({ from, to }) : (levels[Math.log2(blocks)]?.[from / (to - from)] as string);
  };
  return {
    roots: async (subtrees) => {
      const size = Math.max(0, ...subtrees.map(({ to }) => to));
      await fill(size);
      const read = new Map<number, Promise<readonly string[]>>();
      /** Computes the root of a subtree smaller than a block. Each block is read once for all of its subtrees. */
      const small = async ({ from, to }: Subtree) => {
        const block = blockOf(from);
        const first = block * blockSize;
        const hashes = read.get(block) ?? hashesOf({ from: first, to: Math.min(size, first + blockSize) });
        read.set(block, hashes);
        return rootOver((await hashes).slice(from - first, to - first));
      };
      const rootOfSubtree = async (subtree: Subtree) =>
        rootOfParts(await Promise.all(completeParts(subtree).map((part) => rootOfPart(part, small))), node);
      return Promise.all(subtrees.map(rootOfSubtree));
    },
  };
};
