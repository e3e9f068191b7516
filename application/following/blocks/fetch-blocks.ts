import type { Block, Chain, Header, Interest } from '../../ports/chain.js';

/** Result of fetching a block; `block` is null when no node returned it. */
export type Fetched = { readonly header: Header; readonly block: Block | null; readonly error: Error | null };

const fetchedAhead = 8;
/** Number of blocks fetched concurrently until the size of the first block is known. */
const initialConcurrency = 2;
/**
 * Memory limit in bytes for blocks fetched ahead: the larger the blocks are, the fewer blocks are fetched concurrently.
 */
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

/** Estimated bytes in memory of a movement and of a touch, without texts of variable length. */
const [movementBytes, touchBytes] = [1000, 300];

/** Estimates the memory that a block takes: the larger of the bytes read for the block and the size of its contents. */
const bytesOf = ({ block }: Fetched): number => {
  if (!block) return 0;
  const texts = block.movements.map(({ details }) =>
    Object.values(details).reduce<number>((sum, value) => sum + 2 * String(value).length, movementBytes),
  );
  const held = texts.reduce((sum, bytes) => sum + bytes, block.touches.length * touchBytes);
  return Math.max(held, block.bytes ?? 0);
};

/**
 * Creates a budget for the memory of blocks fetched ahead. The budget counts the bytes of fetched blocks that were not
 * yielded yet and, for each block in flight, the size of the largest block so far.
 */
const createBudget = (maxBytes: number) => {
  const waiting = new Map<number, number>();
  let inFlight = 0;
  let largest: number | null = null;
  return {
    hasRoom: () => {
      // No size is known before the first block has arrived.
      if (largest === null) return inFlight < initialConcurrency;
      return [...waiting.values()].reduce((sum, bytes) => sum + bytes, (inFlight + 1) * largest) <= maxBytes;
    },
    begin: () => {
      inFlight++;
    },
    end: (place: number, bytes: number) => {
      inFlight--;
      largest = Math.max(largest ?? 0, bytes);
      waiting.set(place, bytes);
    },
    free: (place: number) => waiting.delete(place),
  };
};

/**
 * Yields blocks in order and prefetches the next blocks within `maxBytes`. Calls `failed` for each block that no node
 * returned, including prefetched blocks.
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
    // A yielded block is released here, so that it can be garbage collected.
    fetching.delete(i);
    budget.free(i);
    yield fetched;
  }
};
