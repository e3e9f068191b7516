import { report } from './report.js';

/**
 * Tiers of tests. Each configuration of mocha in `tests/` selects one: `usual` runs on embedded stores, `full` runs
 * what the usual tier leaves out, and `alone` combines both for specs that must run while nothing else runs.
 */
const tiers = ['usual', 'full', 'alone'] as const;
type Tier = (typeof tiers)[number];

const { CHAINFOLD_TEST_TIER = 'usual' } = process.env;
const found = tiers.find((one) => one === CHAINFOLD_TEST_TIER);
if (!found) throw new Error(`CHAINFOLD_TEST_TIER is ${CHAINFOLD_TEST_TIER}: expected ${tiers.join(', ')}`);
const tier: Tier = found;

/** True in the tiers `full` and `alone`: tests take their long forms, and each command runs in its own process. */
export const isFull = tier !== 'usual';

/** Chooses the stores of a test by tier: the embedded stores, the services, or both, one after the other. */
export const byTier = <A, B>(embedded: readonly A[], services: readonly B[]): readonly (A | B)[] =>
  ({ usual: embedded, full: services, alone: [...embedded, ...services] })[tier];

/** Chooses the size of a test by tier: enough to detect a fault, or as much as the full tier has time for. */
export const sized = (usual: number, full: number) => (isFull ? full : usual);

/**
 * Multiplies a time limit by CHAINFOLD_TEST_PATIENCE, which is higher in runs on servers than in runs on doubles.
 */
export const patient = (ms: number) => ms * Number(process.env.CHAINFOLD_TEST_PATIENCE ?? 1);

/**
 * `describe` for tests that are too slow for the usual tier, which skips them and prints their title at the end of its
 * run.
 */
export const describeInFull = (title: string, body: (this: Mocha.Suite) => void) => {
  if (isFull) describe(title, body);
  else report(`left to npm run test:full: ${title}`);
};
