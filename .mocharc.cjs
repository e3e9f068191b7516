const { availableParallelism } = require('node:os');

/** No list of specs: the command line names them, so that one file by its name runs alone. */
module.exports = {
  import: ['tsx'],
  require: ['./tests/support/root-hooks.ts'],
  reporter: './tests/support/reporter.cjs',
  parallel: true,
  // Two more than there are cores, for there are always some that wait.
  jobs: availableParallelism() + 2,
  'forbid-only': true,
  timeout: 60_000,
  exit: true,
};
