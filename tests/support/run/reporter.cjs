const { existsSync, readFileSync, rmSync } = require('node:fs');
const { reporters, Runner } = require('mocha');
const { reportFile } = require('./report-file.cjs');

/** Prints mocha's own listing, then the reported lines, then one line with the counts for programs. */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes = 0, failures = 0, pending = 0 } = this.stats;
      const say = (line) => process.stdout.write(`${line}\n`);
      const lines = existsSync(reportFile) ? readFileSync(reportFile, 'utf8').trim().split('\n') : [];
      rmSync(reportFile, { force: true });
      for (const line of new Set(lines)) say(line);
      say(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`);
    });
  }
};
