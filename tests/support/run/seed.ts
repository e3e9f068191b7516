/** Seed of every property, fixed so that a failure comes from the change under test; `CHAINFOLD_SEED` overrides it. */
export const seed = Number(process.env.CHAINFOLD_SEED ?? 20_261_116);
