import { readFileSync, writeFileSync } from 'node:fs';
import { cells, type Figure, header } from './figures.js';

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

const frame = { width: 640, height: 320, left: 70, right: 20, top: 30, bottom: 50 } as const;
type Point = { readonly size: number; readonly cost: number };

/** Cost against size, the size in powers of ten. */
const plotOf = (series: string, unit: string, points: readonly Point[]): string => {
  const { width, height, left, right, top, bottom } = frame;
  const most = Math.max(...points.map(({ cost }) => cost)) * 1.25;
  const powers = points.map(({ size }) => Math.log10(size));
  const [low, high] = [Math.min(...powers), Math.max(...powers)];
  const x = (size: number) => left + ((Math.log10(size) - low) / (high - low)) * (width - left - right);
  const y = (cost: number) => height - bottom - (cost / most) * (height - top - bottom);
  const at = ({ size, cost }: Point) => `${x(size).toFixed(1)},${y(cost).toFixed(1)}`;
  const label = (px: number, py: number, text: string, anchor: string) =>
    `<text x="${px.toFixed(1)}" y="${py.toFixed(1)}" text-anchor="${anchor}">${text}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${series} against how many there are</title>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    label(left, top - 10, `${series} (${unit}) against how many there are`, 'start'),
    `<polyline fill="none" stroke="black" points="${left},${top} ${left},${height - bottom} ${width - right},${height - bottom}"/>`,
    ...points.map(({ size }) => label(x(size), height - bottom + 18, size.toLocaleString('en'), 'middle')),
    ...points.map(({ size, cost }) => label(x(size), y(cost) - 8, cost.toPrecision(3), 'middle')),
    `<polyline fill="none" stroke="steelblue" stroke-width="2" points="${points.map(at).join(' ')}"/>`,
    '</svg>\n',
  ].join('\n');
};

/** Puts the figures of a run where readers find them; what is said of them stays. */
export const writeReport = (report: Report): void => {
  const text = readFileSync(page, 'utf8');
  const [before] = text.split(begins);
  const after = text.slice(text.indexOf(ends) + ends.length);
  writeFileSync(page, `${before}${tableIn(report)}${after}`);
  const plotted = report.figures.filter((figure) => figure.plotted !== undefined);
  const [first] = plotted;
  if (!first?.plotted) return;
  const points = plotted
    .map(({ plotted: at, measured }) => ({ size: at?.size ?? 1, cost: measured }))
    .toSorted((a, b) => a.size - b.size);
  writeFileSync(plot, plotOf(first.plotted.series, first.unit, points));
};
