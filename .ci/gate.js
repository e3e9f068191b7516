/**
 * Runs the passes of .ci/run and judges them.
 *
 *   node .ci/gate.js pass FOLDER NAME TIER COMMAND…   runs one pass and keeps its results in FOLDER
 *   node .ci/gate.js verdict FOLDER                   sums up all passes; exits with 1 when one is red
 *
 * A spec file that failed runs once more, alone, with the same seed. A file that is green then is FLAKY: the verdict
 * names it and its first failure, and the pass stays green.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** So many red files in one pass have one cause, which a second run would only hide. */
const maxFlakyFiles = 8;

/** Longest time of one command, after which it hangs: twice what the longest pass takes on two busy cores. */
const maxMinutes = 45;

/**
 * Specs of what must never happen: something lost, something doubled, a wrong balance, data shown to another. A failed
 * assertion in one of them is red at once, since such a fault that comes and goes is still a fault. An assertion that
 * was waited for in vain shows only that the time was up, so that the second run decides.
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

/** Ids of the processes that were started with the mark in their environment, whatever group they moved to. */
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
        // The process ended, or belongs to somebody else.
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

/** Folders that the tools of the tests keep there for their next start. */
const isCache = (name) => /^(tsx-|jiti|node-compile-cache|v8-compile-cache|playwright)/.test(name);

/** Names what the command left behind, and removes it. */
const cleanUp = (mark, temporary) => {
  const processes = marked(mark).filter((pid) => titleOf(pid) !== '');
  for (const pid of processes) {
    say(`left behind: process ${titleOf(pid)}`);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended since.
    }
  }
  for (const name of readdirSync(temporary).filter((one) => !isCache(one))) say(`left behind: ${name}`);
  rmSync(temporary, { recursive: true, force: true });
};

/** Signals after which the processes of the command end too: they run in a group of their own, which gets none. */
const endings = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Runs a command with a temporary folder of its own; returns what the reporter of the tests wrote. */
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
    // The processes that run tests show the file as their title.
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

/** Runs a file that failed once more; returns its results and whether it is flaky, that is, green now. */
const lookAgain = async ({ folder, name, tier }, file, first) => {
  const broken = first.filter(isBrokenPromise);
  if (broken.length > 0) {
    say(
      `RED ${name} ${file}: ${broken.map(({ title }) => title).join('; ')} (no second run: it shows a broken promise)`,
    );
    return { results: null };
  }
  say(`\n== ${name}: ${file} failed and runs once more, alone`);
  const mark = `${name}-again-${file.replaceAll(/\W+/g, '-')}`;
  const command = ['npx', 'mocha', '--no-parallel', file];
  const { code, results } = await run(folder, mark, command, { CHAINFOLD_TEST_TIER: tier });
  const isGreen = code === 0 && results !== null && failed(results).length === 0;
  if (isGreen) say(`FLAKY ${name} ${file}: ${first.map(({ title }) => title).join('; ')}`);
  return { results: isGreen ? results : null };
};

const reasonOf = ({ code, results }, red) => {
  if (results === null) return `the command ended with ${code} and without results`;
  if (red.size > maxFlakyFiles) return `${red.size} files failed`;
  if (red.size === 0 && code !== 0) return `the command ended with ${code} although no test failed`;
  return null;
};

/** Keeps the outcome of a pass for the verdict. */
const keep = (folder, outcome) =>
  writeFileSync(join(passesIn(folder), `${outcome.name}.json`), JSON.stringify(outcome));

/** Runs a pass and keeps its outcome. */
const pass = async (folder, name, tier, command) => {
  const began = Date.now();
  mkdirSync(passesIn(folder), { recursive: true });
  // Replaced when the pass ends: without it, the verdict would not miss a pass that was killed.
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

/** Results by test, in which a test that several passes ran counts once, as failed if it failed in one of them. */
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
/** Tells whether a pass ran tests that another pass has left out. */
const ran = ({ results }, { file, title }) =>
  results.some((one) => one.file === file && one.state === 'passed' && one.title.startsWith(title));

/** Lists what no pass ran. A line about stores is superseded when another pass reports the same stores without a gap. */
const leftOut = (passes) => {
  const reported = passes.flatMap((one) => one.reported);
  const isComplete = (stores) => reported.some(({ line }) => line.startsWith(`${stores}:`) && !isLeftOut(line));
  const isMade = ({ line, about }) =>
    about ? passes.some((one) => !reports(one, line) && ran(one, about)) : isComplete(line.split(':', 1)[0]);
  return new Set(reported.filter((one) => isLeftOut(one.line) && !isMade(one)).map(({ line }) => line));
};

/** Says what was not run, how each pass ended, and why tests failed; what is flaky comes last. */
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
