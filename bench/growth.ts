import { Failure } from '../domain/failure.js';
import { openScene } from './growth/scene.js';
import { oneByOne, things } from './growth/things.js';
import { type Bench, type Figure, largest, quantile } from './measure/figures.js';
import { maxStallMs } from './measure/probed-service.js';
import { watchStalls } from './measure/stall.js';

/** Numbers of things that exist already when the cost of creating one more is measured. GROWTH=long adds 100,000. */
const sizes = process.env.GROWTH === 'long' ? [1000, 10_000, 100_000] : [1000, 10_000];
const measured = 100;
/** Number of things that are created before the measured things, to warm up the code. */
const warmUp = 100;
/** Quantile of the samples that is reported. Slower samples wait for a disk that other processes use too. */
const reportedQuantile = 0.1;
const maxGrowth = 1.5;

const { GROWTH_OF } = process.env;
/** Names of the things to measure: a comma-separated list in GROWTH_OF, or all. */
const measuredKinds = GROWTH_OF === undefined ? Object.keys(things) : GROWTH_OF.split(',');

const grow = async function* (name: string): AsyncIterable<Figure> {
  const thing = things[name];
  if (!thing) throw new Error(`Unknown name "${name}" in GROWTH_OF. Expected: ${Object.keys(things).join(', ')}`);
  const scene = await openScene();
  try {
    const { one, many = oneByOne(one) } = await thing(scene);
    let made = 0;
    let first: number | undefined;
    for (const size of sizes) {
      await many(made, size);
      made = size;
      for (let i = 0; i < warmUp; i++) await one(made++);
      const stalls = watchStalls();
      const times: number[] = [];
      for (let i = 0; i < measured; i++) {
        const started = performance.now();
        await one(made++);
        times.push(performance.now() - started);
      }
      const cost = quantile(times, reportedQuantile);
      const stall = largest(stalls.stop());
      const what = `p10 of one more beside ${size.toLocaleString('en')} ${name}`;
      const goal =
        first === undefined ? {} : { ceiling: { what: 'beside the fewest', value: first }, atMost: maxGrowth };
      yield { what, measured: cost, unit: 'ms', ...goal };
      yield { what: '  longest stall', measured: stall, unit: 'ms', atMost: maxStallMs };
      first ??= cost;
    }
  } finally {
    await scene.close();
  }
};

/**
 * Measures the cost of creating one more thing as the number of things of its kind in an organization grows. A failed
 * request ends the measurement of the kind.
 */
export const growth: Bench = async function* () {
  for (const name of measuredKinds)
    try {
      yield* grow(name);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      process.stderr.write(`${name}: ${error.message}\n`);
    }
};
