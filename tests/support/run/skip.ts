import { relative } from 'node:path';
import { report } from './report.js';

/** Returns the file and the title of the skipped test or, if a hook skips its suite, of the suite. */
const subjectOf = ({ test }: Mocha.Context) => {
  if (!test?.file) return undefined;
  const title = ((test as Mocha.Hook | Mocha.Test).type === 'hook' ? test.parent : test)?.fullTitle() ?? '';
  return { file: relative(process.cwd(), test.file), title };
};

/** Skips a test, and prints the reason at the end of the run. */
export const skip = (test: Mocha.Context, reason: string) => {
  report(`not run: ${reason}`, subjectOf(test));
  test.skip();
};
