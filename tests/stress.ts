import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs the usual tests beside twice as many busy processes as there are cores, as on a machine that others use too, and
 * lists the tests that used half of their time-out. Further arguments are passed to mocha.
 */
type Result = { readonly file: string; readonly title: string; readonly state: string; readonly ms: number };

const halfMs = 90_000;
const say = (text: string) => process.stdout.write(`${text}\n`);
const [...files] = process.argv.slice(2);
const resultsFile = join(tmpdir(), `chainfold-stress-${process.pid}.json`);

const busy = Array.from({ length: 2 * availableParallelism() }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
const rest = () => {
  for (const child of busy) child.kill('SIGKILL');
};
process.once('exit', rest);

const chosen = files.length > 0 ? files : ['--config', 'tests/usual.mocharc.cjs'];
const env = { ...process.env, CHAINFOLD_TEST_RESULTS: resultsFile };
const [code] = await once(spawn('npx', ['mocha', ...chosen], { stdio: 'inherit', env }), 'exit');
rest();

const { results } = JSON.parse(readFileSync(resultsFile, 'utf8')) as { results: readonly Result[] };
rmSync(resultsFile);
const slow = results.filter(({ ms }) => ms > halfMs).sort((a, b) => b.ms - a.ms);
say(`${slow.length} tests took more than ${halfMs / 1000} s, half of the usual time-out`);
for (const { file, title, ms } of slow) say(`${Math.round(ms / 1000)} s  ${file}: ${title}`);
process.exit(Number(code));
