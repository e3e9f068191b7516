import { createFairTurns, type FairTurns } from './fair-turns.js';

/** Runs pieces of long work, each in its own turn of the event loop and few in one turn; organizations take turns. */
export type LoopTurns = FairTurns;

/** Pieces at the same time, so that a store that answers over a network is not idle between two of them. */
const atOnce = 4;

export const createLoopTurns = ({ breathe }: { breathe(): Promise<void> }): LoopTurns => {
  const inTurn = createFairTurns({ atOnce, ofOneKey: 1, maxWaiting: Number.POSITIVE_INFINITY });
  return (organizationId, work) =>
    inTurn(organizationId, async () => {
      await breathe();
      return work();
    });
};
