import { mapInSlices } from '../async/slices.js';
import type { Chain, Header } from '../ports/chain.js';

/** How to get from the blocks that are known to a new head: which to give up, the newest first, and which to take. */
type Path = { readonly drop: readonly Header[]; readonly add: readonly Header[] };

/** The chain replaced a block that counted as final; a person has to look at this. */
export class DeepReorganization extends Error {
  override readonly name = 'DeepReorganization';
}
/** The nodes do not know, or no longer agree about, a block on the way; asking again later helps. */
export class BrokenPath extends Error {
  override readonly name = 'BrokenPath';
}

/** As many blocks are taken at once as can be fetched before the head has moved far. */
const longestPath = 256;
const askedAtOnce = 32;

/** The headers of a range by number, asked for at once; null unless they link up. */
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

/** From the block after `tip`, or where they part from it, up to `last`. */
const upTo = async (chain: Chain, tip: Header, last: Header): Promise<Header[]> => {
  if (last.number <= tip.number) return [last];
  const found = await linked(chain, tip.number + 1, last);
  if (found) return found;
  const path = [last];
  for (let first = last; first.number > tip.number + 1; path.unshift(first)) first = await parentOf(chain, first);
  return path;
};

/**
 * `known` are linked headers, of which the first is final. Everything is found out by hash before anything is given up,
 * so a reorganization in between makes this fail instead of mixing two branches.
 */
export const findPath = async (chain: Chain, known: readonly Header[], head: Header): Promise<Path> => {
  const kept = [...known];
  const tip = () => kept.at(-1) as Header;
  // A node that lags has an old head; that is no reason to give anything up.
  if (head.number < (kept[0] as Header).number || kept.some(({ hash }) => hash === head.hash))
    return { drop: [], add: [] };
  const last = head.number - tip().number > longestPath ? await chain.headerAt(tip().number + longestPath) : head;
  if (!last) throw new BrokenPath(`no node knows a block on the way to ${head.number}`);
  const add = await upTo(chain, tip(), last);
  const drop: Header[] = [];
  const giveUp = () => {
    if (kept.length === 1) throw new DeepReorganization(`block ${tip().number} was final and was replaced`);
    drop.push(kept.pop() as Header);
  };
  while (tip().number >= (add[0] as Header).number) giveUp();
  while (tip().hash !== (add[0] as Header).parentHash) {
    add.unshift(await parentOf(chain, add[0] as Header));
    giveUp();
  }
  return { drop, add };
};
