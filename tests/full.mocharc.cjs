process.env.CHAINFOLD_TEST_TIER = 'full';

/** Everything: long forms of tests, a process for each command, and every set of engines that can be had. */
module.exports = require('../.mocharc.cjs');
