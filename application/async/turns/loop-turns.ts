import { createFairTurns, type FairTurns } from './fair-turns.js';

/**
 * Runs each task in its own turn of the event loop, at most `maxConcurrent` at a time. Organizations are served
 * round-robin.
 */
export type LoopTurns = FairTurns;

/**
 * Maximum number of concurrent tasks. With only one task at a time, a store behind a network would be idle between two
 * tasks.
 */
const maxConcurrent = 4;

export const createLoopTurns = ({ breathe }: { breathe(): Promise<void> }): LoopTurns => {
  const inTurn = createFairTurns({ maxConcurrent, maxConcurrentPerKey: 1, maxWaiting: Number.POSITIVE_INFINITY });
  return (organizationId, work) =>
    inTurn(organizationId, async () => {
      await breathe();
      return work();
    });
};
