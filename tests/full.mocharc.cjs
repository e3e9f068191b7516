process.env.CHAINFOLD_TEST_TIER = 'full';

/**
 * Runs what `npm test` leaves out: specs in their long forms, with a process for each command, and with the whole
 * service on the engines.
 */
module.exports = { ...require('../.mocharc.cjs'), spec: require('./tiers.cjs').full };
