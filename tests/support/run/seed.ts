/** Seed of every property, the same in each run, so that a failure is of the change at hand; `CHAINFOLD_SEED` sets another. */
export const seed = Number(process.env.CHAINFOLD_SEED ?? 20_261_116);
