process.env.CHAINFOLD_TEST_TIER = 'full';

/**
 * The full tier runs the long forms of tests, a process for each command, and every set of engines that is reachable.
 */
module.exports = require('../.mocharc.cjs');
