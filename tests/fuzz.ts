import { parseArgs } from 'node:util';
import { embedded } from './support/engines/engines.js';
import {
  complaintsIn,
  fuzz,
  fuzzedSettings,
  isFlat,
  prepare,
  residentBytes,
  type Tally,
  Violation,
  worksFor,
} from './support/fuzz/fuzz.js';
import { demoOf, type Service, startService } from './support/service/service.js';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    from: { type: 'string', default: '0' },
  },
});
const [seed, from, count] = [values.seed, values.from, values.count].map(Number) as [number, number, number];

const say = (text: string) => process.stdout.write(text);
const mebibytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`;
const roundSize = 5000;

/**
 * Measures the memory after each round. Uncollected garbage raises some of the figures; a leak raises all of them.
 */
const runRounds = async (service: Service, tally: Tally) => {
  const { url, home } = service;
  const { target, neighbour } = await prepare(url, demoOf(home));
  const started = Date.now();
  const held: number[] = [];
  for (let done = 0; done < count; ) {
    const size = Math.min(roundSize, count - done);
    const answers = await fuzz(target, { seed, from: from + done, count: size });
    for (const [name, times] of Object.entries(answers)) tally[name] = (tally[name] ?? 0) + times;
    if (!(await worksFor(url, neighbour))) throw new Violation(`seed ${seed}: the service no longer works`);
    done += size;
    const now = await residentBytes(url);
    held.push(now);
    say(`\r${done} of ${count}, ${Math.round((done * 1000) / (Date.now() - started))}/s, ${mebibytes(now)}   `);
  }
  const half = Math.ceil(held.length / 2);
  return { before: Math.min(...held.slice(0, half)), after: Math.min(...held.slice(-half)) };
};

const summary = (tally: Tally) =>
  Object.entries(tally)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, times]) => `  ${name.padEnd(16)}${String(times).padStart(9)}\n`)
    .join('');

say(`seed ${seed}\n`);
const service = await startService({ on: embedded, env: fuzzedSettings });
const tally: Tally = {};
try {
  const { before, after } = await runRounds(service, tally);
  say(`\n${summary(tally)}memory at least ${mebibytes(before)} in the first half, ${mebibytes(after)} in the second\n`);
  if (!isFlat(before, after)) throw new Violation(`seed ${seed}: memory grew`);
  const complaints = complaintsIn(service.output());
  if (complaints.length > 0) throw new Violation(`seed ${seed}: the service logged complaints`);
  say('no violation\n');
} catch (error) {
  say(`\n${summary(tally)}${(error as Error).message}\n${service.output()}\n`);
  process.exitCode = 1;
}
await service.stop();
