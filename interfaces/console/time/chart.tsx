import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import { type Activity, type Life, readActivity } from './activity.js';

const [width, height] = [1000, 100];
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

type ChartProps = { readonly life: Life; readonly moments: readonly number[] };

/**
 * Bars that show the number of events in each unit of time, aligned with the sliders below the chart. Sizes are SVG
 * attributes, because the CSP forbids inline styles.
 */
const Bars = ({ life, moments, activity }: ChartProps & { readonly activity: Activity }) => {
  const span = Math.max(1, life.last - life.first);
  const highest = Math.max(1, ...activity.bars.map(({ count }) => count));
  const xOf = (time: number) => Math.min(width, Math.max(0, ((time - life.first) / span) * width));
  return (
    <svg class="activity" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {activity.bars.map(({ start, end, count }) => {
        const tall = Math.max(2, (count / highest) * height);
        const wide = Math.max(2, xOf(end) - xOf(start) - 1);
        return <rect key={start} x={xOf(start)} y={height - tall} width={wide} height={tall} />;
      })}
      {moments.map((moment, index) => (
        <line key={`${index} moment`} x1={xOf(moment)} x2={xOf(moment)} y1={0} y2={height} />
      ))}
    </svg>
  );
};

/** Chart of the number of events over the whole history of the organization. */
export const Chart = ({ life, moments }: ChartProps) => {
  const { value, error } = useLoaded((signal) => readActivity(life, signal), [life.first, life.last]);
  if (error) return <ProblemNote error={error} />;
  if (!value) return <p class="quiet">Counting events…</p>;
  const total = value.bars.reduce((sum, { count }) => sum + count, 0);
  const highest = Math.max(0, ...value.bars.map(({ count }) => count));
  return (
    <figure>
      <Bars life={life} moments={moments} activity={value} />
      <figcaption class="quiet">
        Events a {value.unit}: {total} counted, at most {highest} in a {value.unit}.
        {value.countedFrom > 0 && ` Days before ${day.format(value.countedFrom)} are not counted.`}
      </figcaption>
    </figure>
  );
};
