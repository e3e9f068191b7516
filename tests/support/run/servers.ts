import { randomBytes } from 'node:crypto';

const { EVENTSTORE_URL, MONGODB_URL, REDIS_URL, CHAINFOLD_TEST_RUN = 'alone' } = process.env;

/**
 * URLs of the servers to test on. If a URL is undefined, the tests start a double or a server of their own.
 */
export const given = { eventStore: EVENTSTORE_URL, mongo: MONGODB_URL, redis: REDIS_URL };

/** Prefix of all namespaces of this run, by which they are found and removed when the run ends. */
export const runPrefix = `t${CHAINFOLD_TEST_RUN}`;

/**
 * Makes up a namespace that no other test uses, so that tests share a server without seeing each other's data.
 */
export const freshNamespace = () => `${runPrefix}-${randomBytes(4).toString('hex')}`;
