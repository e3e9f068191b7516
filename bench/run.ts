import { cpus, loadavg } from 'node:os';
import type { Bench, Figure } from './figures.js';
import { tableOf } from './figures.js';
import { follow } from './follow.js';
import { gateway } from './gateway.js';

const benches: Readonly<Record<string, Bench>> = { follow, gateway };

const load = () => `load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`;
const say = (text: string) => process.stderr.write(`${text}\n`);

/** Those that are named, or all. */
const wanted = (names: readonly string[]): readonly Bench[] =>
  (names.length > 0 ? names : Object.keys(benches)).map(
    (name) =>
      benches[name] ??
      (() => {
        throw new Error(`there is no bench ${name}; there are: ${Object.keys(benches).join(', ')}`);
      })(),
  );

const figures: Figure[] = [];
const before = load();
for (const bench of wanted(process.argv.slice(2)))
  for await (const figure of bench()) {
    figures.push(figure);
    say(`${figure.what}: ${figure.measured.toPrecision(4)} ${figure.unit}`);
  }
process.stdout.write(`\n${tableOf(figures)}\n${before} at the start, ${load()} at the end, Node ${process.version}\n`);
