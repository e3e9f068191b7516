const { appendFileSync } = require('node:fs');
const { reportFile } = require('./support/run/report-file.cjs');
const { alone, usual } = require('./tiers.cjs');

if (process.env.MOCHA_WORKER_ID === undefined)
  appendFileSync(reportFile, `left to npm run test:full: ${alone.length} specs that need the machine for themselves\n`);

/** Runs what a contribution must pass: every spec that may run beside others, on the embedded stores. */
module.exports = { ...require('../.mocharc.cjs'), spec: usual };
