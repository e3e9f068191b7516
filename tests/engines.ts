import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';

/** Duration of the soak in minutes, which the first argument can change. */
const [minutes = '10'] = process.argv.slice(2);
const say = (text: string) => process.stdout.write(`${text}\n`);

/** Prefix of the namespaces of all steps, by which the namespaces are found and removed at the end. */
process.env.CHAINFOLD_TEST_RUN ??= randomBytes(3).toString('hex');
const { openSweeps } = await import('./support/run/sweep.js');

process.env.CHAINFOLD_TEST_TIER = 'full';
const mocha = ['node_modules/mocha/bin/mocha.js'];
const steps = {
  'contract suites and adapters': [
    ...mocha,
    'tests/contracts/**/*.spec.ts',
    'tests/infrastructure/{eventstoredb,mongodb,redis}/**/*.spec.ts',
  ],
  'system and fault specs': [...mocha, 'tests/system/**/*.spec.ts'],
  [`soak of ${minutes} minutes`]: ['--import', 'tsx', 'tests/soak.ts', '--engines', '--minutes', minutes],
};

const run = async (args: readonly string[]) => {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
};

const sweeps = await openSweeps();
if (sweeps.length === 0) throw new Error('set EVENTSTORE_URL, MONGODB_URL or REDIS_URL, or several of them');
// An interrupted step ends by itself, and its namespaces are removed like those of a completed step.
process.on('SIGINT', () => undefined);
const versions = sweeps.map(({ version }) => version).join(', ');
const results: string[] = [];
for (const [name, args] of Object.entries(steps)) {
  say(`${name} on ${versions}`);
  results.push(`${(await run(args)) ? 'passed' : 'FAILED'}: ${name} on ${versions}, ${new Date().toISOString()}`);
}
for (const { sweep } of sweeps) await sweep();
say(results.join('\n'));
process.exit(results.every((one) => one.startsWith('passed')) ? 0 : 1);
