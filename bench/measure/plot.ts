import { type Figure, rounded } from './figures.js';

/** Costs at several sizes. `unit` is the unit of the costs. */
type Series = {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly { readonly size: number; readonly cost: number }[];
};

const frame = { width: 720, height: 360, left: 60, right: 30, top: 60, bottom: 50 } as const;
const colours = ['steelblue', 'darkorange', 'seagreen', 'purple'];
/** Minimum height of the plot, in multiples of the cost at the smallest size, so that a constant cost looks flat. */
const minHeight = 3;

const text = (x: number, y: number, what: string, anchor: string, colour = 'black') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${colour}">${what}</text>`;
const line = (points: readonly string[], style: string) =>
  `<polyline fill="none" points="${points.join(' ')}" ${style}/>`;

/** Groups the plotted points by series, the smallest size first. */
export const seriesOf = (figures: readonly Figure[]): readonly Series[] => {
  const found = new Map<string, Series>();
  for (const { plotted, unit } of figures) {
    if (!plotted) continue;
    const points = [...(found.get(plotted.series)?.points ?? []), ...plotted.points];
    found.set(plotted.series, { name: plotted.series, unit, points: points.toSorted((a, b) => a.size - b.size) });
  }
  return [...found.values()];
};

/** Draws each series relative to its cost at the smallest size. Sizes are powers of ten and therefore evenly spaced. */
export const plotOf = (all: readonly Series[], title: string): string => {
  const { width, height, left, right, top, bottom } = frame;
  const sizes = [...new Set(all.flatMap(({ points }) => points.map(({ size }) => size)))].sort((a, b) => a - b);
  const relative = ({ points }: Series) => points.map(({ cost }) => cost / (points[0]?.cost ?? 1));
  const maxFactor = Math.max(minHeight, ...all.flatMap(relative).map(Math.ceil));
  const x = (size: number) => left + ((sizes.indexOf(size) + 0.5) / sizes.length) * (width - left - right);
  const y = (times: number) => height - bottom - (times / maxFactor) * (height - top - bottom);
  const rows = Array.from({ length: maxFactor + 1 }, (_, times) => [
    line([`${left},${y(times).toFixed(1)}`, `${width - right},${y(times).toFixed(1)}`], 'stroke="lightgrey"'),
    text(left - 8, y(times) + 4, `${times} ×`, 'end'),
  ]);
  const drawn = all.map((series, i) => {
    const colour = colours[i % colours.length] ?? 'black';
    const places = relative(series).map((times, n) => [x(series.points[n]?.size ?? 0), y(times)] as const);
    const labels = places.map(([px, py], n) => {
      const { cost = 0 } = series.points[n] ?? {};
      return text(px, py + (i % 2 === 0 ? -8 : 18), `${rounded(cost)} ${series.unit}`, 'middle', colour);
    });
    const corners = places.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`);
    return [
      line(corners, `stroke="${colour}" stroke-width="2"`),
      ...labels,
      text(left + i * 260, 44, series.name, 'start', colour),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    text(left, 22, title, 'start'),
    ...rows.flat(),
    ...sizes.map((size) => text(x(size), height - bottom + 20, size.toLocaleString('en'), 'middle')),
    ...drawn.flat(),
    '</svg>\n',
  ].join('\n');
};
