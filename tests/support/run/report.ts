import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { reportFile } = createRequire(import.meta.url)('./report-file.cjs') as { reportFile: string };

/** Test or suite that a reported line is about. */
type Subject = { readonly file: string; readonly title: string };

/** Prints the line once at the end of the run, however many processes report it. */
export const report = (line: string, about?: Subject) =>
  appendFileSync(reportFile, `${JSON.stringify({ line, about })}\n`);
