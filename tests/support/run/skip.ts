import { report } from './report.js';

/** Skips a test, and prints the reason at the end of the run. */
export const skip = (test: Mocha.Context, reason: string) => {
  report(`not run: ${reason}`);
  test.skip();
};
