import { report } from './report.js';

/** Skips a test and has the end of the run say why. */
export const skip = (test: Mocha.Context, reason: string) => {
  report(`not run: ${reason}`);
  test.skip();
};
