import { randomBytes } from 'node:crypto';

const { EVENTSTORE_URL, MONGODB_URL, REDIS_URL, CHAINFOLD_TEST_RUN = 'alone' } = process.env;

/** Servers that the tests were given; a double or a server of their own stands in for each that is undefined. */
export const given = { eventStore: EVENTSTORE_URL, mongo: MONGODB_URL, redis: REDIS_URL };

/** Beginning of all namespaces of this run, by which they are found and removed at its end. */
export const runPrefix = `t${CHAINFOLD_TEST_RUN}`;

/** Names a namespace that no other test uses, so that tests share a server without seeing each other. */
export const freshNamespace = () => `${runPrefix}-${randomBytes(4).toString('hex')}`;
