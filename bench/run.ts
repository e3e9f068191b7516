import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { append } from './append.js';
import { engines } from './engines.js';
import { fairness } from './fairness.js';
import { follow } from './follow.js';
import { gateway } from './gateway.js';
import { growth } from './growth.js';
import { history } from './history.js';
import type { Bench, Figure } from './measure/figures.js';
import { cells, tableOf } from './measure/figures.js';
import { inputs } from './measure/inputs.js';
import { type Report, writeReport } from './measure/report.js';
import { operations } from './operations.js';
import { rebuild } from './rebuild.js';
import { resident } from './resident.js';
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

/** Benchmarks that run only if they are named on the command line, because they take half an hour. */
const longBenches: Readonly<Record<string, Bench>> = { resident };
const allBenches = { ...benches, ...longBenches };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** File to write the measurements to. */
    json: { type: 'string' },
    /** Writes the measurements to docs/performance.md and the plot to docs/performance.svg. */
    docs: { type: 'boolean', default: false },
  },
});

const load = () => `load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`;
const printLine = (text: string) => process.stderr.write(`${text}\n`);

const started = performance.now();
const lineOf = (figure: Figure) => `${Math.round((performance.now() - started) / 1000)} s  ${cells(figure).join('  ')}`;

/** Returns the benchmarks with the given names, or all of `benches` if there are no names. */
const selectBenches = (names: readonly string[]): readonly Bench[] =>
  (names.length > 0 ? names : Object.keys(benches)).map(
    (name) =>
      allBenches[name] ??
      (() => {
        throw new Error(`Unknown benchmark "${name}". Expected: ${Object.keys(allBenches).join(', ')}`);
      })(),
  );

// Exiting on a signal runs the exit handlers, which stop services and remove files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const figures: Figure[] = [];
const before = load();
for (const bench of selectBenches(positionals))
  for await (const figure of bench()) {
    figures.push(figure);
    printLine(lineOf(figure));
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
// Servers that the benchmarks started would keep the process alive.
process.exit();
