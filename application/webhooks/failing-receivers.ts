/**
 * Limits the deliveries under way to each receiver: a receiver that is overloaded gets half as many at once, and one
 * more after each success, so that receivers that do not answer do not occupy all workers.
 */
export const createWindows = (most: number) => {
  const lanes = new Map<string, { window: number; trying: number }>();
  const stateOf = (lane: string) => lanes.get(lane) ?? { window: most, trying: 0 };
  return {
    /** Returns false when as many deliveries as the receiver may get are under way. */
    begin: (lane: string) => {
      const { window, trying } = stateOf(lane);
      if (trying >= window) return false;
      lanes.set(lane, { window, trying: trying + 1 });
      return true;
    },
    end: (lane: string, isOverloaded: boolean) => {
      const { window, trying } = stateOf(lane);
      const next = isOverloaded ? Math.max(1, Math.floor(window / 2)) : Math.min(most, window + 1);
      if (trying <= 1 && next === most) lanes.delete(lane);
      else lanes.set(lane, { window: next, trying: trying - 1 });
    },
  };
};
