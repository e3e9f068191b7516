import type { Source } from '../../../application/ports/node.js';
import type { LogRange } from './range.js';

/** Source of the logs of one piece of a range. `isFinal` is true if no reorg can replace the blocks of the piece. */
export type PieceSource = { readonly source: Source | undefined; readonly isFinal: boolean };

/**
 * Logs of a range. `bodies` contains the logs of each piece as JSON without the brackets, in block order; `sources` is
 * in no particular order.
 */
export type Pieces = { readonly bodies: readonly Buffer[]; readonly sources: readonly PieceSource[] };

type Sources = {
  head(): Promise<number>;
  finalHeight(): number;
  readonly nodeCount: number;
  /** Asks a node for the hash of a block. Another node may answer, so the result names the node that answered. */
  hashAt(height: number, node: number): Promise<{ readonly node: number; readonly hash: unknown }>;
};

/** Maximum number of attempts to read all pieces: one with any nodes, then one with each of two single nodes. */
const maxAttempts = 3;
/** Node index of an answer that did not come from a known node. */
export const unknownNode = -1;

const allOf = (count: number) => Array.from({ length: count }, (_, node) => node);

/** Combines the sources of all pieces into the source of the whole answer; undefined when no node was asked. */
export const joinedSource = ({ sources }: Pieces): Source | undefined => {
  const known = sources.flatMap(({ source }) => source ?? []);
  const [node, ...others] = new Set(known.map((source) => source.node));
  if (node === undefined) return undefined;
  return { node, attempts: known.reduce((sum, source) => sum + source.attempts, 0), others };
};

/**
 * Creates a function that reads pieces of a range from one branch of the chain: all nodes that returned non-final
 * blocks must have the same last block, before and after the read. If the last blocks differ, the read is repeated with
 * one node at a time. Resolves to null when no attempt found a single branch.
 */
export const createOneBranch = ({ head, finalHeight, nodeCount, hashAt }: Sources) => {
  const hashesAt = async (height: number, nodes: readonly number[]) => {
    const found = await Promise.all(nodes.map((node) => hashAt(height, node).catch(() => null)));
    return new Map(found.flatMap((one) => (one ? [[one.node, one.hash]] : [])));
  };
  const attempt = async (top: number, work: () => Promise<Pieces>) => {
    const before = await hashesAt(top, allOf(nodeCount));
    const pieces = await work();
    const newest = pieces.sources.filter(({ isFinal }) => !isFinal);
    const nodes = [...new Set(newest.map(({ source }) => source?.node ?? unknownNode))];
    const after = await hashesAt(top, nodes);
    const hashes = new Set(nodes.flatMap((node) => [before.get(node), after.get(node)]));
    return { pieces, nodes, isOneBranch: hashes.size <= 1 && !hashes.has(undefined) };
  };
  return async ({ to }: LogRange, work: (node?: number) => Promise<Pieces>): Promise<Pieces | null> => {
    if (to <= finalHeight()) return work();
    const top = Math.min(to, await head());
    const first = await attempt(top, work);
    if (first.isOneBranch) return first.pieces;
    for (const node of first.nodes.slice(0, maxAttempts - 1)) {
      const { pieces, isOneBranch } = await attempt(top, () => work(node));
      if (isOneBranch) return pieces;
    }
    return null;
  };
};
