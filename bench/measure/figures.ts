/**
 * Measurement, compared with the value of `ceiling` if there is one. `atMost` and `atLeast` bound the ratio of the
 * measured value to the ceiling or, without a ceiling, the measured value itself.
 */
export type Figure = {
  readonly what: string;
  readonly measured: number;
  readonly unit: string;
  /** Half of the range between the lowest and the highest round, as a fraction of the median. */
  readonly spread?: number;
  readonly ceiling?: { readonly what: string; readonly value: number; readonly spread?: number };
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Reason why nothing was measured, shown instead of the value. */
  readonly absent?: string;
  /** Points of the plot of cost against size. */
  readonly plotted?: {
    readonly series: string;
    readonly points: readonly { readonly size: number; readonly cost: number }[];
  };
};

export type Bench = () => AsyncIterable<Figure>;

export const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
};
export const median = (values: readonly number[]): number => quantile(values, 0.5);
export const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);

const mega = 1024 * 1024;
export const megabytes = (bytes: number): number => bytes / mega;

export const rounded = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));
const boundText = ({ atMost, atLeast }: Figure) => {
  if (atMost !== undefined) return `≤ ${atMost}`;
  return atLeast === undefined ? '' : `≥ ${atLeast}`;
};
const isReached = (value: number, { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY }: Figure) =>
  value <= atMost && value >= atLeast;

const spreadText = (spread: number | undefined) => (spread === undefined ? '' : ` ±${Math.round(spread * 100)} %`);

/** Returns whether the goal is reached; null when there is no goal or nothing was measured. */
const reachedBy = (figure: Figure): boolean | null => {
  if (figure.absent !== undefined) return null;
  if (figure.atMost === undefined && figure.atLeast === undefined) return null;
  return isReached(figure.ceiling ? figure.measured / figure.ceiling.value : figure.measured, figure);
};

export const cells = (figure: Figure): readonly string[] => {
  const { what, measured, unit, spread, ceiling, absent } = figure;
  const bound = boundText(figure);
  const ratio = ceiling ? measured / ceiling.value : null;
  return [
    what,
    absent ?? `${rounded(measured)} ${unit}${spreadText(spread)}`,
    ceiling
      ? `${ceiling.what} ${rounded(ceiling.value)} ${unit}${spreadText(ceiling.spread)}${bound && `, ${bound} × it`}`
      : bound && `${bound} ${unit}`,
    ratio === null ? '' : rounded(ratio),
    { true: 'yes', false: 'NO', null: '' }[String(reachedBy(figure))] ?? '',
  ];
};

export const header = ['what', 'measured', 'ceiling or goal', 'ratio', 'reached'];

export const tableOf = (figures: readonly Figure[]): string => {
  const rows = [header, ...figures.map(cells)];
  const widths = header.map((_, i) => largest(rows.map((row) => row[i]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | '));
  const rule = widths.map((width) => '-'.repeat(width)).join('-|-');
  return [lines[0], rule, ...lines.slice(1)].map((line) => `${line?.trimEnd()}\n`).join('');
};
