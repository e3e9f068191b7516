const { existsSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { relative } = require('node:path');
const { reporters, Runner } = require('mocha');
const { reportFile } = require('./report-file.cjs');

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Runner.constants;

/** Collects the result of every test by file, for the gate's second run of the files that failed. */
const collectResults = (runner) => {
  const results = [];
  let lastFile = '';
  const add = (state, test, error) => {
    // A failed root hook has no file. Workers report their events file by file, so the hook belongs to the file that
    // was reported last.
    lastFile = test.file ? relative(process.cwd(), test.file) : lastFile;
    results.push({
      file: lastFile,
      title: test.fullTitle(),
      isHook: test.type === 'hook',
      state,
      ms: test.duration ?? 0,
      ...(error && { error: { code: error.code, isLate: error.isLate === true, text: error.stack ?? error.message } }),
    });
  };
  runner.on(EVENT_TEST_PASS, (test) => add('passed', test));
  runner.on(EVENT_TEST_PENDING, (test) => add('skipped', test));
  runner.on(EVENT_TEST_FAIL, (test, error) => add('failed', test, error));
  return results;
};

/** Prints mocha's own listing, then the reported lines, then one line with the counts for programs. */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const results = collectResults(runner);
    runner.once(EVENT_RUN_END, () => {
      const { passes = 0, failures = 0, pending = 0 } = this.stats;
      const say = (line) => process.stdout.write(`${line}\n`);
      const reported = existsSync(reportFile)
        ? readFileSync(reportFile, 'utf8').trim().split('\n').map(JSON.parse)
        : [];
      rmSync(reportFile, { force: true });
      const { CHAINFOLD_TEST_RESULTS: file } = process.env;
      if (file) writeFileSync(file, JSON.stringify({ results, reported }));
      const lines = new Set(reported.map(({ line }) => line));
      for (const line of [...lines].sort((a, b) => a.localeCompare(b))) say(line);
      say(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`);
    });
  }
};
