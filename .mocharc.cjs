const { randomBytes } = require('node:crypto');
const { availableParallelism } = require('node:os');

// Workers inherit the name of the run, which all namespaces of its tests begin with.
process.env.CHAINFOLD_TEST_RUN ??= randomBytes(3).toString('hex');

// Servers may be far away or slow, so that every limit of time is a multiple of what doubles take.
const isOnServers = ['EVENTSTORE_URL', 'MONGODB_URL', 'REDIS_URL'].some((name) => process.env[name]);
process.env.CHAINFOLD_TEST_PATIENCE ??= isOnServers ? '4' : '1';

/** No `spec` is set, because a list here would be added to the files named on the command line. */
module.exports = {
  import: ['tsx'],
  require: ['./tests/support/run/root-hooks.ts'],
  reporter: './tests/support/run/reporter.cjs',
  // Packages of these programs bring specs of their own.
  ignore: ['tests/outside/node_modules/**'],
  parallel: true,
  // Two more workers than cores, because some specs always wait for a process or a timer.
  jobs: availableParallelism() + 2,
  'forbid-only': true,
  // A busy machine may take ten times as long as an idle one.
  timeout: 180_000 * Number(process.env.CHAINFOLD_TEST_PATIENCE),
  exit: true,
};
