import { mapInSlices } from '../async/slices.js';
import type { Chain, Header } from '../ports/chain.js';

/** Path from the known blocks to a new head: blocks to drop, newest first, and blocks to add, oldest first. */
type ReorgPath = { readonly drop: readonly Header[]; readonly add: readonly Header[] };

/** Thrown when a final block was replaced; an operator has to accept the replacement. */
export class DeepReorganization extends Error {
  override readonly name = 'DeepReorganization';
}
/**
 * Thrown when the nodes lack a block on the path to the head, or disagree on such a block; a later attempt may succeed.
 */
export class BrokenPath extends Error {
  override readonly name = 'BrokenPath';
}

/** Maximum number of blocks per cycle: few enough to be fetched before the head has moved far. */
export const maxPathLength = 256;
const askedAtOnce = 32;

/** Reads the headers of a range concurrently; null unless each header is the parent of the next one. */
const linked = async (chain: Chain, first: number, last: Header) => {
  const numbers = Array.from({ length: Math.max(0, last.number - first) }, (_, i) => first + i);
  const found = [...(await mapInSlices(numbers, askedAtOnce, (number) => chain.headerAt(number))), last];
  const isLinked = found.every((header, i) => header && (i === 0 || header.parentHash === found[i - 1]?.hash));
  return isLinked ? (found as Header[]) : null;
};

const parentOf = async (chain: Chain, { number, parentHash }: Header) =>
  (await chain.headerOf(parentHash)) ??
  (() => {
    throw new BrokenPath(`No node has block ${parentHash}, the parent of block ${number}.`);
  })();

/** Returns the headers after `tip` up to `last`; only `last` when it is not higher than `tip`. */
const upTo = async (chain: Chain, tip: Header, last: Header): Promise<Header[]> => {
  if (last.number <= tip.number) return [last];
  const found = await linked(chain, tip.number + 1, last);
  if (found) return found;
  const path = [last];
  for (let first = last; first.number > tip.number + 1; path.unshift(first)) first = await parentOf(chain, first);
  return path;
};

/**
 * Finds the path from `known` (linked headers, of which the first is final) to the head. All headers are linked by hash
 * before a block is dropped, so a concurrent reorg makes this function throw instead of mixing two branches.
 */
export const findPath = async (chain: Chain, known: readonly Header[], head: Header): Promise<ReorgPath> => {
  const kept = [...known];
  const tip = () => kept.at(-1) as Header;
  // A lagging node returns an old head, which is no reason to drop blocks.
  if (head.number < (kept[0] as Header).number || kept.some(({ hash }) => hash === head.hash))
    return { drop: [], add: [] };
  const last = head.number - tip().number > maxPathLength ? await chain.headerAt(tip().number + maxPathLength) : head;
  if (!last)
    throw new BrokenPath(`No node has block ${tip().number + maxPathLength}, although the head is ${head.number}.`);
  const add = await upTo(chain, tip(), last);
  const drop: Header[] = [];
  const dropNewest = () => {
    if (kept.length === 1)
      throw new DeepReorganization(`block ${tip().number} (${tip().hash}) was final and was replaced`);
    drop.push(kept.pop() as Header);
  };
  while (tip().number >= (add[0] as Header).number) dropNewest();
  while (tip().hash !== (add[0] as Header).parentHash) {
    add.unshift(await parentOf(chain, add[0] as Header));
    dropNewest();
  }
  return { drop, add };
};
