import { parseArgs } from 'node:util';
import { embedded } from './support/engines.js';
import { complaintsIn, fuzz, isFlat, prepare, residentBytes, type Tally, Violation, worksFor } from './support/fuzz.js';
import { demoOf, type Service, startService } from './support/service.js';

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

/** In rounds, so that memory is looked at on the way; gives what it was halfway and at the end. */
const runRounds = async (service: Service, tally: Tally) => {
  const { url, home } = service;
  const { target, neighbour } = await prepare(url, demoOf(home));
  const started = Date.now();
  let halfway = 0;
  for (let done = 0; done < count; ) {
    const size = Math.min(roundSize, count - done);
    const answers = await fuzz(target, { seed, from: from + done, count: size });
    for (const [name, times] of Object.entries(answers)) tally[name] = (tally[name] ?? 0) + times;
    if (!(await worksFor(url, neighbour))) throw new Violation(`seed ${seed}: the service no longer works`);
    done += size;
    const held = await residentBytes(url);
    if (done <= count / 2) halfway = held;
    say(`\r${done} of ${count}, ${Math.round((done * 1000) / (Date.now() - started))}/s, ${mebibytes(held)}   `);
  }
  return { halfway, end: await residentBytes(url) };
};

const summary = (tally: Tally) =>
  Object.entries(tally)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, times]) => `  ${name.padEnd(16)}${String(times).padStart(9)}\n`)
    .join('');

say(`seed ${seed}\n`);
const service = await startService({ on: embedded });
const tally: Tally = {};
try {
  const { halfway, end } = await runRounds(service, tally);
  say(`\n${summary(tally)}memory halfway ${mebibytes(halfway)}, at the end ${mebibytes(end)}\n`);
  if (halfway > 0 && !isFlat(halfway, end)) throw new Violation(`seed ${seed}: memory grew`);
  const complaints = complaintsIn(service.output());
  if (complaints.length > 0) throw new Violation(`seed ${seed}: the service complains`);
  say('no violation\n');
} catch (error) {
  say(`\n${summary(tally)}${(error as Error).message}\n${service.output()}\n`);
  process.exitCode = 1;
}
await service.stop();
