import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { reportFile } = createRequire(import.meta.url)('./report-file.cjs') as { reportFile: string };

/** Prints the line once at the end of the run, however many processes report it. */
export const report = (line: string) => appendFileSync(reportFile, `${line}\n`);
