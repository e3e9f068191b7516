import { report } from './report.js';

/** True in the full tier, which `tests/full.mocharc.cjs` asks for: long forms of tests on every set of engines. */
export const isFull = process.env.CHAINFOLD_TEST_TIER === 'full';

/** Chooses the size of a test: enough to see a fault in every run, or as much as the full tier has time for. */
export const sized = (usual: number, full: number) => (isFull ? full : usual);

/** Lengthens a limit of time by the profile of the engines: servers get more of it than doubles. */
export const patient = (ms: number) => ms * Number(process.env.CHAINFOLD_TEST_PATIENCE ?? 1);

/** Describes tests that only the full tier has time for; other tiers report their title at the end. */
export const describeInFull = (title: string, body: (this: Mocha.Suite) => void) => {
  if (isFull) describe(title, body);
  else report(`left to npm run test:full: ${title}`);
};
