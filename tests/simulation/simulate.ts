import { parseArgs } from 'node:util';
import { playWorld } from './scenario.js';

/**
 * Plays `worlds` simulated worlds, with consecutive seeds from `seed` on, and prints the trace of each if `trace` is
 * set. Prints each failure with the command that repeats it, and at the end the number of injected faults by kind.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    worlds: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '30' },
    trace: { type: 'boolean', default: false },
  },
});
const say = (text: string) => process.stdout.write(`${text}\n`);
const [first, worlds, minutes] = [values.seed, values.worlds, values.minutes].map(Number) as [number, number, number];

const faults = new Map<string, number>();
let failures = 0;
for (let seed = first; seed < first + worlds; seed++) {
  const outcome = await playWorld(seed, minutes);
  for (const [fault, count] of outcome.faults) faults.set(fault, (faults.get(fault) ?? 0) + count);
  if (values.trace) for (const line of outcome.trace) say(line);
  if (!outcome.failure) continue;
  failures++;
  say(`seed ${seed}: ${outcome.failure.message}`);
  say(`  npm run simulate -- --seed ${seed} --minutes ${minutes} --trace`);
}
say(`${worlds} worlds of ${minutes} acts, ${failures} failed`);
for (const [fault, count] of [...faults].sort(([a], [b]) => a.localeCompare(b))) say(`  ${count} × ${fault}`);
process.exitCode = failures > 0 ? 1 : 0;
