import type { Block, Chain, Header, Interest } from '../../ports/chain.js';

/** Block as it was fetched; the reason where no node gave it. */
export type Fetched = { readonly header: Header; readonly block: Block | null; readonly error: Error | null };

const fetchedAhead = 8;
/** Blocks that are fetched at the same time before the size of any is known. */
const atFirst = 2;
/** Memory for blocks that are fetched ahead: a chain with large blocks is read with fewer of them at once. */
const maxBytesAhead = 64 * 1024 * 1024;
const unknown = 'no node has the block';

/** Explains why a block was not fetched. */
export const reasonOf = ({ error }: Fetched) => error?.message ?? unknown;

const fetchOne = async (chain: Chain, header: Header, interest: Interest): Promise<Fetched> => {
  try {
    return { header, block: await chain.block(header.hash, interest), error: null };
  } catch (error) {
    return { header, block: null, error: error as Error };
  }
};

/** Bytes of a movement and of a touch besides texts of any length, as they are held in memory. */
const [movementBytes, touchBytes] = [1000, 300];

/** Estimates the memory that a block takes, by what was read for it or by what it holds. */
const bytesOf = ({ block }: Fetched): number => {
  if (!block) return 0;
  const texts = block.movements.map(({ details }) =>
    Object.values(details).reduce<number>((sum, value) => sum + 2 * String(value).length, movementBytes),
  );
  const held = texts.reduce((sum, bytes) => sum + bytes, block.touches.length * touchBytes);
  return Math.max(held, block.bytes ?? 0);
};

/** Counts the bytes of blocks that wait for their turn, and of those under way, which are taken for as large as the largest. */
const createBudget = (most: number) => {
  const waiting = new Map<number, number>();
  let underWay = 0;
  let largest: number | null = null;
  return {
    hasRoom: () => {
      // No size is known before the first block has come.
      if (largest === null) return underWay < atFirst;
      return [...waiting.values()].reduce((sum, bytes) => sum + bytes, (underWay + 1) * largest) <= most;
    },
    begin: () => {
      underWay++;
    },
    end: (place: number, bytes: number) => {
      underWay--;
      largest = Math.max(largest ?? 0, bytes);
      waiting.set(place, bytes);
    },
    free: (place: number) => waiting.delete(place),
  };
};

/**
 * Yields blocks in order and fetches the next ones ahead, as far as they fit into `maxBytes`; tells `failed` of each
 * that no node gave, also ahead.
 */
export const fetchInOrder = async function* (
  chain: Chain,
  headers: readonly Header[],
  interest: Interest,
  failed: (header: Header) => void,
  maxBytes = maxBytesAhead,
) {
  const fetching = new Map<number, Promise<Fetched>>();
  const budget = createBudget(maxBytes);
  let next = 0;
  const fetch = async (place: number) => {
    budget.begin();
    const fetched = await fetchOne(chain, headers[place] as Header, interest);
    budget.end(place, bytesOf(fetched));
    if (!fetched.block) failed(fetched.header);
    return fetched;
  };
  for (let i = 0; i < headers.length; i++) {
    for (; next < Math.min(headers.length, i + fetchedAhead) && (next === i || budget.hasRoom()); next++)
      fetching.set(next, fetch(next));
    const fetched = (await fetching.get(i)) as Fetched;
    // A block that was handed over is not held here any longer.
    fetching.delete(i);
    budget.free(i);
    yield fetched;
  }
};
