import { createFairTurns, type FairTurns } from './fair-turns.js';

/** Runs each task in a turn of the event loop of its own, few tasks at a time. Organizations are served round-robin. */
export type LoopTurns = FairTurns;

/** Keeps a store behind a network busy: with one task at a time it would idle between two tasks. */
const maxConcurrent = 4;

export const createLoopTurns = ({ breathe }: { breathe(): Promise<void> }): LoopTurns => {
  const inTurn = createFairTurns({ maxConcurrent, maxConcurrentPerKey: 1, maxWaiting: Number.POSITIVE_INFINITY });
  return (organizationId, work) =>
    inTurn(organizationId, async () => {
      await breathe();
      return work();
    });
};
