/**
 * Processes the items, `width` at a time. After the first error no further item is started, and the error is thrown
 * once the running items have ended.
 */
export const inParallel = async <T>(items: readonly T[], width: number, work: (item: T) => Promise<unknown>) => {
  const queue = [...items];
  const lane = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  const lanes = await Promise.allSettled(
    Array.from({ length: width }, async () => {
      await lane().catch((error: unknown) => {
        queue.length = 0;
        throw error;
      });
    }),
  );
  for (const one of lanes) if (one.status === 'rejected') throw one.reason;
};
