/**
 * Creates the windows of the receivers. A window is the maximum number of concurrent deliveries to a receiver. The
 * window is halved when the receiver is overloaded, and grows by one after any other response. Receivers that do not
 * respond therefore cannot occupy all workers.
 */
export const createDeliveryWindows = (maxWindow: number) => {
  const lanes = new Map<string, { window: number; inFlight: number }>();
  const stateOf = (lane: string) => lanes.get(lane) ?? { window: maxWindow, inFlight: 0 };
  return {
    /** Starts a delivery; returns false when the receiver's window is full. */
    begin: (lane: string) => {
      const { window, inFlight: trying } = stateOf(lane);
      if (trying >= window) return false;
      lanes.set(lane, { window, inFlight: trying + 1 });
      return true;
    },
    end: (lane: string, isOverloaded: boolean) => {
      const { window, inFlight: trying } = stateOf(lane);
      const next = isOverloaded ? Math.max(1, Math.floor(window / 2)) : Math.min(maxWindow, window + 1);
      if (trying <= 1 && next === maxWindow) lanes.delete(lane);
      else lanes.set(lane, { window: next, inFlight: trying - 1 });
    },
  };
};
