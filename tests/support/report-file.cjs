const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Tests run in processes of the one that reports. */
const reporting = process.env.MOCHA_WORKER_ID === undefined ? process.pid : process.ppid;

exports.reportFile = join(tmpdir(), `chainfold-tests-${reporting}.txt`);
