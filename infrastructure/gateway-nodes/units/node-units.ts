/**
 * Creates the token bucket for a node's call units. A call costs as many units as its caller is charged. The bucket
 * holds at most the units of one second, refills steadily and may become negative.
 */
export const createNodeUnits = (perSecond: number, now: () => number = () => performance.now()) => {
  let left = perSecond;
  let at = now();
  const refill = () => {
    const before = at;
    at = now();
    left = Math.min(perSecond, left + ((at - before) / 1000) * perSecond);
    return left;
  };
  return {
    perSecond,
    hasRoom: () => refill() > 0,
    spend: (units: number) => {
      left = refill() - units;
    },
    /** Returns the milliseconds until the bucket is above zero; 0 if it is already. */
    waitMs: () => (refill() > 0 ? 0 : Math.floor((-left / perSecond) * 1000) + 1),
  };
};

export type NodeUnits = ReturnType<typeof createNodeUnits>;

export const unlimited: NodeUnits = {
  perSecond: Number.POSITIVE_INFINITY,
  hasRoom: () => true,
  spend: () => undefined,
  waitMs: () => 0,
};
