const { reporters, Runner } = require('mocha');

/** Mocha's own listing, then what was skipped and why, then the one line that machines read. */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes = 0, failures = 0, pending = 0 } = this.stats;
      const say = (line) => process.stdout.write(`${line}\n`);
      for (const reason of globalThis.skippedAdapters ?? []) say(`skipped: ${reason}`);
      say(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`);
    });
  }
};
