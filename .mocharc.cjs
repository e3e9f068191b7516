const { availableParallelism } = require('node:os');

module.exports = {
  import: ['tsx'],
  require: ['./tests/support/root-hooks.ts'],
  // The longest first, so that at the end the short ones fill what is left.
  spec: ['tests/system/**/*.spec.ts', 'tests/!(system)/**/*.spec.ts', 'tests/*.spec.ts'],
  reporter: './tests/support/reporter.cjs',
  parallel: true,
  // One more than there are cores, for there is always one that waits.
  jobs: availableParallelism() + 1,
  'forbid-only': true,
  timeout: 60_000,
  exit: true,
};
