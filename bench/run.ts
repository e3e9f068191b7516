import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { append } from './append.js';
import { engines } from './engines.js';
import { fairness } from './fairness.js';
import type { Bench, Figure } from './figures.js';
import { cells, tableOf } from './figures.js';
import { follow } from './follow.js';
import { gateway } from './gateway.js';
import { growth } from './growth.js';
import { history } from './history.js';
import { inputs } from './inputs.js';
import { operations } from './operations.js';
import { rebuild } from './rebuild.js';
import { type Report, writeReport } from './report.js';
import { webhooks } from './webhooks.js';

const benches: Readonly<Record<string, Bench>> = {
  operations,
  append,
  webhooks,
  history,
  rebuild,
  inputs,
  gateway,
  follow,
  fairness,
  growth,
  engines,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** File for the figures. */
    json: { type: 'string' },
    /** Writes the figures into docs/performance.md, and the plot beside it. */
    docs: { type: 'boolean', default: false },
  },
});

const load = () => `load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`;
const say = (text: string) => process.stderr.write(`${text}\n`);

const started = performance.now();
const lineOf = (figure: Figure) => `${Math.round((performance.now() - started) / 1000)} s  ${cells(figure).join('  ')}`;

/** Returns the benches that are named, or all. */
const wanted = (names: readonly string[]): readonly Bench[] =>
  (names.length > 0 ? names : Object.keys(benches)).map(
    (name) =>
      benches[name] ??
      (() => {
        throw new Error(`there is no bench ${name}; there are: ${Object.keys(benches).join(', ')}`);
      })(),
  );

// Exiting on a signal runs the exit handlers, which stop services and remove files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const figures: Figure[] = [];
const before = load();
for (const bench of wanted(positionals))
  for await (const figure of bench()) {
    figures.push(figure);
    say(lineOf(figure));
  }
const report: Report = {
  machine: `${cpus().length} × ${cpus()[0]?.model}`,
  node: process.version,
  date: new Date().toISOString().slice(0, 10),
  load: `${before} at the start, ${load()} at the end`,
  figures,
};
process.stdout.write(`\n${tableOf(figures)}\n${report.load}, Node ${report.node}\n`);
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
if (values.docs) writeReport(report);
// Engines that benches started would keep the process alive.
process.exit();
