/** The full tier runs the long forms of tests, on every set of engines; `tests/full.mocharc.cjs` asks for it. */
export const isFull = process.env.CHAINFOLD_TEST_TIER === 'full';

/** How much of something a test does: enough to see a fault in every run, or as much as the full tier has time for. */
export const sized = (usual: number, full: number) => (isFull ? full : usual);
