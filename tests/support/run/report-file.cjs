const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Id of the reporting process, which is the parent of the processes that run the tests. */
const reporting = process.env.MOCHA_WORKER_ID === undefined ? process.pid : process.ppid;

exports.reportFile = join(tmpdir(), `chainfold-tests-${reporting}.txt`);
