import { readFileSync, writeFileSync } from 'node:fs';
import { cells, type Figure, header } from './figures.js';
import { plotOf, seriesOf } from './plot.js';

export type Report = {
  readonly machine: string;
  readonly node: string;
  readonly date: string;
  readonly load: string;
  readonly figures: readonly Figure[];
};

const page = 'docs/performance.md';
const plot = 'docs/performance.svg';
const [begins, ends] = ['<!-- figures -->', '<!-- end of figures -->'];

const row = (texts: readonly string[]) => `| ${texts.map((text) => text.trim()).join(' | ')} |`;
const tableIn = ({ machine, node, date, load, figures }: Report) =>
  [
    begins,
    `${date}, ${machine}, Node ${node}, ${load}.`,
    '',
    row(header),
    row(header.map(() => '---')),
    ...figures.map((figure) => row(cells(figure))),
    ends,
  ].join('\n');

/** Replaces the measurements in docs/performance.md and writes the plot. The other text of the page is kept. */
export const writeReport = (report: Report): void => {
  const text = readFileSync(page, 'utf8');
  const [before] = text.split(begins);
  const after = text.slice(text.indexOf(ends) + ends.length);
  writeFileSync(page, `${before}${tableIn(report)}${after}`);
  const series = seriesOf(report.figures);
  if (series.length > 0)
    writeFileSync(plot, plotOf(series, 'Cost against how many transfers there are, beside that of the fewest'));
};
