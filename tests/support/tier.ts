import { report } from './report.js';

/** The full tier runs the long forms of tests, on every set of engines; `tests/full.mocharc.cjs` asks for it. */
export const isFull = process.env.CHAINFOLD_TEST_TIER === 'full';

/** How much of something a test does: enough to see a fault in every run, or as much as the full tier has time for. */
export const sized = (usual: number, full: number) => (isFull ? full : usual);

/** Describes what only the full tier has time for; a run of another tier ends by naming what was left to it. */
export const describeInFull = (title: string, body: (this: Mocha.Suite) => void) => {
  if (isFull) describe(title, body);
  else report(`left to npm run test:full: ${title}`);
};
