import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Runs every spec that draws random values with one new seed after another, and prints each failure with the command
 * that repeats it. Add each failure to its spec as a named example.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
const end = Date.now() + Number(values.minutes) * 60_000;
const say = (text: string) => process.stdout.write(`${text}\n`);

type Result = { readonly file: string; readonly title: string; readonly state: string };

const drawing = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .map((name) => join('tests', name))
  .filter((file) => file.endsWith('.spec.ts') && !file.includes('node_modules'))
  .filter((file) => /fast-check|run\/seed\.js/.test(readFileSync(file, 'utf8')));

const failuresWith = async (seed: number): Promise<readonly Result[]> => {
  const resultsFile = join(tmpdir(), `chainfold-explore-${process.pid}.json`);
  const env = { ...process.env, CHAINFOLD_SEED: String(seed), CHAINFOLD_TEST_RESULTS: resultsFile };
  const child = spawn('npx', ['mocha', ...drawing], { stdio: ['ignore', 'ignore', 'inherit'], env });
  await once(child, 'exit');
  const { results } = JSON.parse(readFileSync(resultsFile, 'utf8')) as { results: readonly Result[] };
  rmSync(resultsFile);
  return results.filter(({ state }) => state === 'failed');
};

let seeds = 0;
const found: string[] = [];
while (Date.now() < end) {
  const seed = randomInt(2 ** 31);
  for (const { file, title } of await failuresWith(seed)) {
    found.push(`${file}: ${title}`);
    say(`${title}\n  CHAINFOLD_SEED=${seed} npx mocha ${file} --fgrep ${JSON.stringify(title)}`);
  }
  seeds++;
}
say(`${drawing.length} specs with ${seeds} seeds: ${found.length} failures`);
process.exit(found.length === 0 ? 0 : 1);
