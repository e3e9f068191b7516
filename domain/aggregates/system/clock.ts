import type { Decider } from '../../decider.js';

type Corrected = {
  /** Commit time of the last event before the correction, as a Unix time in milliseconds. */
  from: number;
  /** Time of the system clock at the correction, as a Unix time in milliseconds. */
  to: number;
};

type ClockEvent = { type: 'ClockCorrected'; data: Corrected };
type ClockCommand = { type: 'Correct'; data: Corrected };

/** Corrections of commit times that ran ahead of the system clock. Commit times decrease only at such an event. */
export const clock: Decider<ClockCommand, ClockEvent, { from: number | null }> = {
  stream: 'clock',
  initial: { from: null },
  decide: {
    // The deviation is corrected once, even if two processes notice it.
    Correct: ({ from }, data) => (from === data.from ? [] : [{ type: 'ClockCorrected', data }]),
  },
  evolve: { ClockCorrected: (_, { from }) => ({ from }) },
};
