import { Failure } from '../domain/failure.js';
import { type Bench, type Figure, largest, quantile } from './figures.js';
import { openScene } from './growth/scene.js';
import { oneByOne, things } from './growth/things.js';
import { maxStallMs } from './probed-service.js';
import { watchStalls } from './stall.js';

/** Numbers of things; the long form adds a hundred thousand. */
const sizes = process.env.GROWTH === 'long' ? [1000, 10_000, 100_000] : [1000, 10_000];
const measured = 100;
/** Things made before the measured ones, because code that runs for the first time is slow. */
const warmUp = 100;
/** Share of the quickest: slower ones wait for a disk that others use too. */
const quickest = 0.1;
const maxGrowth = 1.5;

const { GROWTH_OF } = process.env;
/** Names of the things to be measured, which the variable holds separated by commas; all without it. */
const wanted = GROWTH_OF === undefined ? Object.keys(things) : GROWTH_OF.split(',');

const grow = async function* (name: string): AsyncIterable<Figure> {
  const thing = things[name];
  if (!thing) throw new Error(`there is no ${name}; there are: ${Object.keys(things).join(', ')}`);
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
      const cost = quantile(times, quickest);
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

/** Measures what one more thing costs, the more of its kind an organization has. A refusal ends a kind early. */
export const growth: Bench = async function* () {
  for (const name of wanted)
    try {
      yield* grow(name);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      process.stderr.write(`${name}: ${error.message}\n`);
    }
};
