process.env.CHAINFOLD_TEST_TIER = 'full';

/** Runs what `npm test` leaves out: long forms, a process for each command, and the whole service on the engines. */
module.exports = { ...require('../.mocharc.cjs'), spec: require('./tiers.cjs').full };
