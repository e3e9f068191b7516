import { mapInSlices } from '../async/slices.js';
import type { Chain, Header } from '../ports/chain.js';

/** Way from the known blocks to a new head: blocks to drop, newest first, and blocks to take. */
type Path = { readonly drop: readonly Header[]; readonly add: readonly Header[] };

/** Replacement of a block that counted as final, which an operator has to look at. */
export class DeepReorganization extends Error {
  override readonly name = 'DeepReorganization';
}
/** Failure of the nodes to find, or to agree on, a block on the way; a later attempt may succeed. */
export class BrokenPath extends Error {
  override readonly name = 'BrokenPath';
}

/** Blocks taken at once: few enough to be fetched before the head has moved far. */
const maxPathLength = 256;
const askedAtOnce = 32;

/** Reads the headers of a range by number, concurrently; null unless they link up. */
const linked = async (chain: Chain, first: number, last: Header) => {
  const numbers = Array.from({ length: Math.max(0, last.number - first) }, (_, i) => first + i);
  const found = [...(await mapInSlices(numbers, askedAtOnce, (number) => chain.headerAt(number))), last];
  const isLinked = found.every((header, i) => header && (i === 0 || header.parentHash === found[i - 1]?.hash));
  return isLinked ? (found as Header[]) : null;
};

const parentOf = async (chain: Chain, { number, parentHash }: Header) =>
  (await chain.headerOf(parentHash)) ??
  (() => {
    throw new BrokenPath(`no node knows the parent of block ${number}`);
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
 * Finds the way from `known`, linked headers of which the first is final, to the head. All headers are linked by hash
 * before a block is dropped, so a reorganization meanwhile makes this fail instead of mixing two branches.
 */
export const findPath = async (chain: Chain, known: readonly Header[], head: Header): Promise<Path> => {
  const kept = [...known];
  const tip = () => kept.at(-1) as Header;
  // A lagging node has an old head, which is no reason to drop blocks.
  if (head.number < (kept[0] as Header).number || kept.some(({ hash }) => hash === head.hash))
    return { drop: [], add: [] };
  const last = head.number - tip().number > maxPathLength ? await chain.headerAt(tip().number + maxPathLength) : head;
  if (!last) throw new BrokenPath(`no node knows a block on the way to ${head.number}`);
  const add = await upTo(chain, tip(), last);
  const drop: Header[] = [];
  const dropNewest = () => {
    if (kept.length === 1) throw new DeepReorganization(`block ${tip().number} was final and was replaced`);
    drop.push(kept.pop() as Header);
  };
  while (tip().number >= (add[0] as Header).number) dropNewest();
  while (tip().hash !== (add[0] as Header).parentHash) {
    add.unshift(await parentOf(chain, add[0] as Header));
    dropNewest();
  }
  return { drop, add };
};
