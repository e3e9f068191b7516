/** A receiver that failed so often in a row gets one try at a time. */
const failuresToDoubt = 3;

/** Keeps receivers that do not answer from taking every place. */
export const createDoubts = () => {
  const lanes = new Map<string, { failures: number; trying: number }>();
  return {
    /** False when somebody else is trying already. */
    begin: (lane: string) => {
      const state = lanes.get(lane) ?? { failures: 0, trying: 0 };
      if (state.failures >= failuresToDoubt && state.trying > 0) return false;
      lanes.set(lane, { ...state, trying: state.trying + 1 });
      return true;
    },
    end: (lane: string, answered: boolean) => {
      const { failures, trying } = lanes.get(lane) ?? { failures: 0, trying: 1 };
      if (answered && trying === 1) lanes.delete(lane);
      else lanes.set(lane, { failures: answered ? 0 : failures + 1, trying: trying - 1 });
    },
  };
};
