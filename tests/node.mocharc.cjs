/**
 * Runs the tests that may depend on the version of Node: those of the domain and the projections, the contracts of the
 * adapters, and a call of each interface.
 */
module.exports = { ...require('../.mocharc.cjs'), spec: require('./tiers.cjs').node };
