const { alone, usual } = require('./tiers.cjs');

process.env.CHAINFOLD_TEST_LEFT_OUT = `${alone.length} specs that need the machine for themselves`;

/** Runs what a contribution must pass: every spec that may run beside others, on the embedded stores. */
module.exports = { ...require('../.mocharc.cjs'), spec: usual };
