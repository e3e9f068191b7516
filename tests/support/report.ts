import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { reportFile } = createRequire(import.meta.url)('./report-file.cjs') as { reportFile: string };

/** Has the end of the run say it, once, however many processes run the tests. */
export const report = (line: string) => appendFileSync(reportFile, `${line}\n`);
