import type { Candidate } from './candidates.js';

/** Change of the balance of one asset in a block. */
export type Change = {
  readonly number: number;
  /** Event position up to which the changes in the block were recorded. */
  readonly position: number;
  readonly amount: bigint;
  /** False if the block has only activity without an amount, such as failed transfers. */
  readonly isMovement: boolean;
};

const takeFrom = (candidates: AsyncGenerator<Candidate>) => async (): Promise<Candidate | null> => {
  const next = await candidates.next();
  return next.done ? null : next.value;
};

/**
 * Search for a balance at a cut-off, by the last reading (a balance read from a node) at or before the cut-off. Changes
 * are added from the newest to the oldest.
 */
export type SearchBefore = {
  /** Adds a change. A change in a block below `lowest` is ignored. */
  add(change: Change): Promise<void>;
  /** Returns the height of the lowest block whose changes are needed. */
  lowest(): number;
  /**
   * Returns the balance, which is null without a reading. `sum` is the sum of the changes since the reading or, without
   * a reading, of all changes. `isEmpty` is true if none of the changes is a movement.
   */
  result(): { readonly balance: bigint | null; readonly sum: bigint; readonly isEmpty: boolean };
  /**
   * Returns the changes of the last `depth` blocks before the cut-off. These changes may invalidate a reading after the
   * cut-off.
   */
  recent(): readonly Change[];
};

/**
 * Begins a search for a balance at or before block `at.number`. `depth` is the number of blocks below a reading in
 * which a change may be recorded after the reading, because a reorg replaced these blocks. `ahead` are the changes in
 * blocks at or below the cut-off that have a later time than the cut-off.
 */
export const searchBefore = async (
  candidates: AsyncGenerator<Candidate>,
  at: { readonly number: number; readonly depth: number; readonly ahead: readonly Change[] },
): Promise<SearchBefore> => {
  const take = takeFrom(candidates);
  const recent: Change[] = [];
  /**
   * Changes in the candidate's block or in lower blocks. These changes are added to `sum` if an older reading has to be
   * used.
   */
  let below: Change[] = [];
  let sum = 0n;
  let isEmpty = true;
  let candidate = await take();

  const isOvertaken = ({ number, position, isCertain }: Candidate, by: readonly Change[]) =>
    !isCertain && by.some((one) => one.number <= number && one.position > position);
  /**
   * Moves to older readings until none of the changes at or below the reading was recorded after the reading. `added`
   * are the changes that have not been compared with a reading yet.
   */
  const skipOvertaken = async (added: readonly Change[]) => {
    for (let by = added; candidate && isOvertaken(candidate, by); by = [...below, ...at.ahead]) {
      candidate = await take();
      const lowest = candidate?.number ?? Number.NEGATIVE_INFINITY;
      sum += below.reduce((total, { number, amount }) => total + (number > lowest ? amount : 0n), 0n);
      below = below.filter(({ number }) => number <= lowest);
    }
  };
  await skipOvertaken(at.ahead);

  const lowest = () => {
    if (!candidate) return Number.NEGATIVE_INFINITY;
    return candidate.isCertain ? candidate.number + 1 : candidate.number - at.depth;
  };

  return {
    add: async (change) => {
      if (change.number < lowest()) return;
      if (change.number >= at.number - at.depth) recent.push(change);
      if (change.isMovement) isEmpty = false;
      if (candidate && change.number <= candidate.number) below.push(change);
      else sum += change.amount;
      await skipOvertaken([change]);
    },
    lowest,
    result: () => ({ balance: candidate && candidate.balance + sum, sum, isEmpty }),
    recent: () => recent,
  };
};

/**
 * Search for a balance at a cut-off, by the first valid reading after the cut-off. Changes are added from the oldest to
 * the newest.
 */
export type SearchAfter = {
  /** Adds a change of a block after the cut-off. */
  add(change: Change): void;
  /** Uses the first valid reading below a block. All changes before the block must have been added. */
  reach(number: number): Promise<void>;
  /** Returns the block of the next reading; infinity if no more changes are needed. */
  next(): number;
  /** Returns the balance; null if there is no valid reading. */
  result(): bigint | null;
};

export const searchAfter = async (
  candidates: AsyncGenerator<Candidate>,
  { depth, recent }: { readonly depth: number; readonly recent: readonly Change[] },
): Promise<SearchAfter> => {
  const take = takeFrom(candidates);
  let sum = 0n;
  let lastPosition = -1;
  let found: bigint | null = null;
  let candidate = await take();

  const isValid = ({ number, position, isCertain }: Candidate) =>
    isCertain ||
    (lastPosition <= position && !recent.some((one) => one.number >= number - depth && one.position > position));

  return {
    add: (change) => {
      sum += change.amount;
      lastPosition = Math.max(lastPosition, change.position);
    },
    reach: async (number) => {
      while (found === null && candidate && candidate.number < number) {
        if (isValid(candidate)) found = candidate.balance - sum;
        else candidate = await take();
      }
    },
    next: () => (found === null && candidate ? candidate.number : Number.POSITIVE_INFINITY),
    result: () => found,
  };
};
