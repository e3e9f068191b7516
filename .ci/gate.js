/**
 * Runs the passes of .ci/run and judges them.
 *
 *   node .ci/gate.js pass FOLDER NAME TIER COMMAND…   runs one pass and keeps its results in FOLDER
 *   node .ci/gate.js verdict FOLDER                   sums up all passes; exits with 1 if one is red (failed)
 *
 * A spec file that failed runs once more, alone, with the same seed. A file that then passes is FLAKY: the verdict
 * names the file and its first failure, and the pass stays green.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Maximum number of failed files that a pass runs once more. More failures have one cause, which a second run would
 * only hide.
 */
const maxFlakyFiles = 8;

/**
 * Maximum duration of one command in minutes: twice the time of the longest pass on two busy cores. A longer command is
 * killed.
 */
const maxMinutes = 45;

/**
 * Specs of guarantees: nothing is lost or duplicated, no balance is wrong, and no data is shown to another
 * organization. A failed assertion in one of these specs fails the pass without a second run, because an intermittent
 * fault is a fault too. If a condition was merely not met in time (`isLate`), a second run decides.
 */
const promises = [
  'tests/application/following/deep-webhooks.spec.ts',
  'tests/application/following/fan-out.spec.ts',
  'tests/application/following/families/following-sui.spec.ts',
  'tests/application/following/families/following-ton.spec.ts',
  'tests/application/following/following.spec.ts',
  'tests/application/projecting/projector.spec.ts',
  'tests/application/projecting/rebuild.spec.ts',
  'tests/application/transactions/races.spec.ts',
  'tests/contracts/event-histories.spec.ts',
  'tests/contracts/event-store.spec.ts',
  'tests/interfaces/lost-answers.spec.ts',
  'tests/projections/agreement.spec.ts',
  'tests/projections/replay.spec.ts',
  'tests/system/access/isolation.spec.ts',
  'tests/system/access/secrets.spec.ts',
  'tests/system/history/as-of.spec.ts',
  'tests/system/soak.spec.ts',
  'tests/system/stores/crash.spec.ts',
  'tests/system/stores/migrate.spec.ts',
  'tests/system/transactions/transaction-faults.spec.ts',
  'tests/system/wallets/consistency.spec.ts',
  'tests/system/webhooks/notification-faults.spec.ts',
  'tests/system/webhooks/webhook-faults.spec.ts',
];
const isBrokenPromise = ({ file, error }) =>
  promises.includes(file) && error?.code === 'ERR_ASSERTION' && !error.isLate;

const say = (text) => process.stdout.write(`${text}\n`);
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const passesIn = (folder) => join(folder, 'passes');

/**
 * Returns the ids of the processes that have the mark in their environment, even if they moved to another process
 * group.
 */
const marked = (mark) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          pid !== process.pid && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`CHAINFOLD_PASS=${mark}\0`)
        );
      } catch {
        // The process has ended, or belongs to another user.
        return false;
      }
    });

const titleOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
};

/** Returns true for a folder that a test tool keeps in the temporary folder for its next start. */
const isCache = (name) => /^(tsx-|jiti|node-compile-cache|v8-compile-cache|playwright)/.test(name);

/** Reports the processes and files that a command left behind, kills the processes and removes the files. */
const cleanUp = (mark, temporary) => {
  const processes = marked(mark).filter((pid) => titleOf(pid) !== '');
  for (const pid of processes) {
    say(`left behind: process ${titleOf(pid)}`);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended meanwhile.
    }
  }
  for (const name of readdirSync(temporary).filter((one) => !isCache(one))) say(`left behind: ${name}`);
  rmSync(temporary, { recursive: true, force: true });
};

/**
 * Exit codes by signal. These signals do not reach the processes of the command, which have a process group of their
 * own: the handler of the signal kills them.
 */
const endings = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Runs a command with a temporary folder of its own. Returns its exit code and the results that the test reporter
 * wrote.
 */
const run = async (folder, mark, command, environment) => {
  const temporary = join(folder, 'tmp', mark);
  const resultsFile = join(folder, `${mark}.json`);
  mkdirSync(temporary, { recursive: true });
  const env = { ...process.env, ...environment, TMPDIR: temporary, CHAINFOLD_TEST_RESULTS: resultsFile };
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: 'inherit', detached: true, env: { ...env, CHAINFOLD_PASS: mark } });
  const late = setTimeout(() => {
    say(`the command did not end within ${maxMinutes} minutes: ${command.join(' ')}`);
    const running = marked(mark);
    // Processes that run tests have the name of the spec file as their title.
    for (const pid of running) say(`still running: ${titleOf(pid)}`);
    for (const pid of running) process.kill(pid, 'SIGKILL');
  }, maxMinutes * 60_000);
  for (const [signal, exitCode] of Object.entries(endings))
    process.removeAllListeners(signal).once(signal, () => {
      cleanUp(mark, temporary);
      process.exit(exitCode);
    });
  const [code] = await once(child, 'exit');
  clearTimeout(late);
  cleanUp(mark, temporary);
  try {
    return { code, ...readJson(resultsFile) };
  } catch {
    return { code, results: null, reported: [] };
  }
};

const failed = (results) => results.filter(({ state }) => state === 'failed');
const byFile = (results) => {
  const files = new Map(results.map(({ file }) => [file, []]));
  for (const one of results) files.get(one.file).push(one);
  return files;
};

/**
 * Number of files that ran once more. It names their temporary folders, because the path of Chromium's socket may have
 * at most 107 bytes.
 */
let looks = 0;

/**
 * Runs a failed file once more, alone. The returned `results` are null if the file fails again or shows a broken
 * promise.
 */
const lookAgain = async ({ folder, name, tier }, file, first) => {
  const broken = first.filter(isBrokenPromise);
  if (broken.length > 0) {
    say(
      `RED ${name} ${file}: ${broken.map(({ title }) => title).join('; ')} (no second run: it shows a broken promise)`,
    );
    return { results: null };
  }
  say(`\n== ${name}: ${file} failed and runs once more, alone`);
  const mark = `${name}-again-${++looks}`;
  const command = ['npx', 'mocha', '--no-parallel', file];
  const { code, results } = await run(folder, mark, command, { CHAINFOLD_TEST_TIER: tier });
  const isGreen = code === 0 && results !== null && failed(results).length === 0;
  if (isGreen) say(`FLAKY ${name} ${file}: ${first.map(({ title }) => title).join('; ')}`);
  return { results: isGreen ? results : null };
};

const reasonOf = ({ code, results }, red) => {
  if (results === null) return `the command exited with code ${code} and wrote no results`;
  if (red.size > maxFlakyFiles) return `${red.size} files failed`;
  if (red.size === 0 && code !== 0) return `the command exited with code ${code} although no test failed`;
  return null;
};

/** Stores the outcome of a pass for the verdict. */
const keep = (folder, outcome) =>
  writeFileSync(join(passesIn(folder), `${outcome.name}.json`), JSON.stringify(outcome));

/** Runs a pass and stores its outcome. */
const pass = async (folder, name, tier, command) => {
  const began = Date.now();
  mkdirSync(passesIn(folder), { recursive: true });
  // Stores a failure, which is replaced when the pass ends. Otherwise, the verdict would not notice that a pass was
  // killed.
  keep(folder, { name, isRed: true, reason: 'the pass did not end', flaky: [], results: [], reported: [], seconds: 0 });
  const outcome = await run(folder, name, command, {});
  const red = byFile(failed(outcome.results ?? []));
  const reason = reasonOf(outcome, red);
  let results = outcome.results ?? [];
  const flaky = [];
  for (const [file, first] of reason === null ? red : []) {
    const again = await lookAgain({ folder, name, tier }, file, first);
    if (again.results === null) continue;
    flaky.push({ file, first });
    results = [...results.filter((one) => one.file !== file), ...again.results];
  }
  const isRed = reason !== null || failed(results).length > 0;
  const seconds = Math.round((Date.now() - began) / 1000);
  keep(folder, { name, isRed, reason, flaky, results, reported: outcome.reported, seconds });
  say(`== ${name}: ${isRed ? `RED${reason ? `, ${reason}` : ''}` : 'green'} (${seconds} s)`);
  return isRed ? 1 : 0;
};

/**
 * Counts passed and failed tests. A test that several passes ran counts once, and as failed if it failed in any of
 * them.
 */
const countOnce = (passes) => {
  const states = new Map();
  for (const { results } of passes) {
    const seen = new Map();
    for (const { file, title, state, isHook } of results) {
      if (isHook && state !== 'failed') continue;
      const test = `${file}\n${title}`;
      seen.set(test, (seen.get(test) ?? 0) + 1);
      const key = `${test}\n${seen.get(test)}`;
      const rank = { failed: 2, passed: 1, skipped: 0 };
      if (rank[state] >= rank[states.get(key) ?? 'skipped']) states.set(key, state);
    }
  }
  const count = (state) => [...states.values()].filter((one) => one === state).length;
  return { passed: count('passed'), failed: count('failed') };
};

const isLeftOut = (line) => line.startsWith('not run:') || line.includes('not on ');
const reports = ({ reported }, line) => reported.some((one) => one.line === line);
/** Returns true if the pass ran tests that another pass left out. */
const ran = ({ results }, { file, title }) =>
  results.some((one) => one.file === file && one.state === 'passed' && one.title.startsWith(title));

/**
 * Lists the reports of tests that no pass ran. A report about stores is dropped if another pass left out nothing on
 * these stores.
 */
const leftOut = (passes) => {
  const reported = passes.flatMap((one) => one.reported);
  const isComplete = (stores) => reported.some(({ line }) => line.startsWith(`${stores}:`) && !isLeftOut(line));
  const isMade = ({ line, about }) =>
    about ? passes.some((one) => !reports(one, line) && ran(one, about)) : isComplete(line.split(':', 1)[0]);
  return new Set(reported.filter((one) => isLeftOut(one.line) && !isMade(one)).map(({ line }) => line));
};

/**
 * Prints the tests that were not run, the outcome of each pass, the reasons of failures and, last, the flaky tests.
 */
const explain = (passes) => {
  say('\n== not run');
  for (const line of leftOut(passes)) say(line);
  say('\n== passes');
  for (const { name, isRed, seconds, reason } of passes)
    say(`${isRed ? 'RED  ' : 'green'} ${name} (${seconds} s)${reason ? `: ${reason}` : ''}`);
  for (const { name, results } of passes)
    for (const { file, title, error } of failed(results)) say(`\nRED ${name} ${file}: ${title}\n${error.text}`);
  for (const { name, flaky } of passes)
    for (const { file, first } of flaky)
      say(`\nFLAKY ${name} ${file}: ${first.map(({ title }) => title).join('; ')}\n${first[0].error.text}`);
};

const verdict = (folder) => {
  const files = readdirSync(passesIn(folder));
  const passes = files.map((file) => readJson(join(passesIn(folder), file)));
  explain(passes);
  const counts = countOnce(passes);
  const unexplained = passes.filter(({ isRed, results }) => isRed && failed(results).length === 0).length;
  say(`\n${counts.passed} passed, ${counts.failed + unexplained} failed`);
  return passes.some(({ isRed }) => isRed) ? 1 : 0;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [action, folder, name, tier, ...command] = process.argv.slice(2);
  process.exitCode = action === 'pass' ? await pass(folder, name, tier, command) : verdict(folder);
}
