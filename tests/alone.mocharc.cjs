process.env.CHAINFOLD_TEST_TIER = 'alone';

/**
 * Runs the specs that must not share the machine, one after another, in their long forms and on every set of engines.
 */
module.exports = { ...require('../.mocharc.cjs'), jobs: 1, spec: require('./tiers.cjs').alone };
