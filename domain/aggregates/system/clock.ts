import type { Decider } from '../../decider.js';

/** Commit time of the last event before the correction, and the clock then, both in Unix ms. */
type Corrected = { from: number; to: number };

type ClockEvent = { type: 'ClockCorrected'; data: Corrected };
type ClockCommand = { type: 'Correct'; data: Corrected };

/** Corrections of commit times. They never decrease from one event to the next, except at such an event. */
export const clock: Decider<ClockCommand, ClockEvent, { from: number | null }> = {
  stream: 'clock',
  initial: { from: null },
  decide: {
    // Two processes that find the same time correct it once.
    Correct: ({ from }, data) => (from === data.from ? [] : [{ type: 'ClockCorrected', data }]),
  },
  evolve: { ClockCorrected: (_, { from }) => ({ from }) },
};
