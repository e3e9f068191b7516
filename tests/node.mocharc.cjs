/** Shows whether a version of Node will do: the rules, the contracts of the adapters, and a call of each interface. */
module.exports = { ...require('../.mocharc.cjs'), spec: require('./tiers.cjs').node };
